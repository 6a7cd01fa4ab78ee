"""Finds flags near an expression: values of 0 and 1, one for each transition."""

MOST = 4096  # elements of a flag that are looked at
DEPTH = 3  # functions above the expression that are searched


def flags_near(frame, count):
    """Returns lists of 0 and 1 with ``count`` elements that variables of a frame and of its callers hold, or
    that stand in tuples, lists, dicts and objects there; both numbers must occur."""
    out = []
    for _ in range(DEPTH):
        if frame is None:
            break
        for value in list(frame.f_locals.values()):
            for part in _parts(value):
                flat = _flat(part)
                if flat is not None and len(flat) == count and set(flat) == {0.0, 1.0}:
                    out.append(flat)
        frame = frame.f_back
    return out


def _parts(value):
    yield value
    if isinstance(value, dict):
        yield from list(value.values())[:32]
    elif isinstance(value, (list, tuple)) and len(value) <= 32:
        yield from value
    elif hasattr(value, "__dict__") and not callable(value):
        yield from list(vars(value).values())[:64]


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
