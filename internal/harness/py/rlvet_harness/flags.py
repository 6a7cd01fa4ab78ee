"""Finds flags near an expression: values of 0 and 1, one for each transition."""

MOST = 4096  # elements of a flag that are looked at
DEPTH = 3  # functions above the expression that are searched


def flags_near(frame, count):
    """Returns lists of 0 and 1 with ``count`` elements that variables of a frame and of its callers hold, or
    that stand in tuples, lists, dicts and objects there; both numbers must occur."""
    return [flag for _, flag in named_flags_near(frame, count)]


def named_flags_near(frame, count):
    """Returns the same lists, each with the name under which it was found, as the program writes it."""
    out = []
    for _, name, part in parts_near(frame):
        flag = _flat(part)
        if flag is not None and len(flag) == count and set(flag) == {0.0, 1.0}:
            out.append((name, flag))
    return out


def parts_near(frame):
    """Yields what variables of a frame and of its callers hold, each with the frame and its name as the program writes it."""
    for _ in range(DEPTH):
        if frame is None:
            return
        for variable, value in list(frame.f_locals.items()):
            for name, part in parts_of(variable, value):
                yield frame, name, part
        frame = frame.f_back


def parts_of(name, value):
    """Yields a variable and what it holds, each with its name as the program writes it."""
    yield name, value
    if isinstance(value, dict):
        yield from (("%s[%.40r]" % (name, key), part) for key, part in list(value.items())[:32])
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        yield from (("%s.%s" % (name, field), part) for field, part in zip(value._fields, value))
    elif isinstance(value, (list, tuple)) and len(value) <= 32:
        yield from (("%s[%d]" % (name, i), part) for i, part in enumerate(value))
    elif hasattr(value, "__dict__") and not callable(value):
        yield from (("%s.%s" % (name, key), part) for key, part in list(vars(value).items())[:64])


def _flat(value):
    """Returns the numbers of a tensor, array or list; None for anything else."""
    try:
        if hasattr(value, "detach"):
            value = value.detach().cpu()
        if hasattr(value, "reshape") and hasattr(value, "tolist"):
            return [float(x) for x in value.reshape(-1).tolist()] if 0 < _size(value) <= MOST else None
        if isinstance(value, (list, tuple)) and 0 < len(value) <= MOST:
            return [float(x) for x in value]
    except (TypeError, ValueError, RuntimeError):
        return None
    return None


def _size(value):
    size = 1
    for n in value.shape:
        size *= int(n)
    return size


def flat(value):
    """Returns the numbers of a tensor, array, list or number; None for anything else."""
    if isinstance(value, (int, float)):
        return [float(value)]
    return _flat(value)
