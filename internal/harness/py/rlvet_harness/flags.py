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
    for _ in range(DEPTH):
        if frame is None:
            break
        for name, value in list(frame.f_locals.items()):
            for path, part in parts_of(name, value):
                flat = _flat(part)
                if flat is not None and len(flat) == count and set(flat) == {0.0, 1.0}:
                    out.append((path, flat))
        frame = frame.f_back
    return out


def parts_of(name, value):
    """Yields a variable and what it holds, each with its name as the program writes it."""
    yield name, value
    if isinstance(value, dict):
        yield from (("%s[%.40r]" % (name, key), part) for key, part in list(value.items())[:32])
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
