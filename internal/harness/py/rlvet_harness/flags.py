"""Finds flags near an expression: values of 0 and 1, one for each transition.

Rewards, actions and masks of padding are values of 0 and 1, too. A flag of the ends of episodes is one of truth values, or is called as
one is; what is called as the flag of a step that goes on is the opposite of one. In a batch few steps end an episode: a flag
that is 1 at most rows, or the opposite of one that is not, is left out.
"""

import re
import struct
from collections.abc import Mapping

MOST = 4096  # elements of a flag that are looked at
MOST_OBSERVATIONS = 20000  # that are kept
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


def ends_near(frame, count):
    """Returns lists of 0 and 1 with ``count`` elements, each with its name, in which 1 says that a step was the last of its episode."""
    out = []
    for _, name, part in parts_near(frame):
        ended = _flat(part)
        if ended is None or len(ended) != count or set(ended) != {0.0, 1.0}:
            continue
        ends, goes_on = end_or_not(name, is_truth(part))
        if goes_on and 2 * sum(ended) > count:
            out.append((name, [1 - x for x in ended]))
        elif ends and 2 * sum(ended) <= count:
            out.append((name, ended))
    return out


def perhaps_ends_near(frame, count):
    """Returns lists as :func:`ends_near` does of what has another name, too: all but whole numbers, as actions are, in which few
    are 1, or few are 0."""
    out = []
    for _, name, part in parts_near(frame):
        flag = None if _is_whole(part) or any(w.startswith(_OTHER) for w in _words(name)) else _flat(part)
        if flag is not None and len(flag) == count and set(flag) == {0.0, 1.0} and 2 * sum(flag) != count:
            out.append((name, flag if 2 * sum(flag) < count else [1 - x for x in flag]))
    return out


def end_or_not(name, truth):
    """Returns whether a flag of this name may say that an episode ended, and whether it may say the opposite.

    Truth values of a batch may have any name; those of a variable may be of a comparison.
    """
    words = _words(name)
    if any(w.startswith(_OTHER) for w in words):
        return False, False
    ends = words in _SHORT or any(w.startswith(_END) for w in words)
    goes_on = any(w in _GOES_ON or w.startswith(("non", "not", "continu")) for w in words)
    if "mask" in words or "masks" in words:
        return ends, True
    return (ends or truth and name[-1:] == "]" or truth and "." in name) and not goes_on, goes_on


# What was cut off did not end, and of what is padded nothing is known.
_OTHER = ("trunc", "time", "limit", "cut", "pad", "valid", "rew", "ret", "action")
_END = ("done", "term", "end", "over", "dead", "died", "fell", "fallen", "last", "final", "finish", "stop", "absorb")
_SHORT = (["d"], ["ds"], ["dw"])
_GOES_ON = ("no", "undone", "keep", "live", "alive", "going", "goes", "cont")


def _words(name):
    """Returns the words of the last part of a name, in lower case, and its numbers."""
    parts = re.findall(r"[A-Za-z_]\w*", name)
    return [w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", parts[-1])] if parts else []


class Endings:
    """The observations that steps of the environment returned, and which of them ended an episode."""

    def __init__(self):
        self.ended, self.others = set(), set()

    def stepped(self, out):
        if not isinstance(out, tuple) or len(out) not in (4, 5) or len(self.others) > MOST_OBSERVATIONS or getattr(out[2], "ndim", 0):
            return
        cut = len(out) == 4 and isinstance(out[3], dict) and out[3].get("TimeLimit.truncated")
        (self.ended if out[2] and not cut else self.others).add(_as_bytes(out[0]))

    def near(self, frame, count):
        """Returns lists of 0 and 1 with ``count`` elements, each with its name, for values whose rows are all such observations: 1 where
        the observation ended an episode, and never another time did not."""
        out, ends = [], self.ended - self.others - {None}
        for _, name, part in parts_near(frame) if ends else ():
            if not isinstance(part, (list, tuple)) and not (hasattr(part, "tolist") and getattr(part, "ndim", 0) > 1):
                continue
            if len(part) != count or not hasattr(part[0], "shape"):
                continue
            rows = [_as_bytes(part[i]) for i in range(count)]
            if all(row in self.ended or row in self.others for row in rows) and not ends.isdisjoint(rows) and not ends.issuperset(rows):
                out.append((name, [float(row in ends) for row in rows]))
        return out


def _as_bytes(observation):
    numbers = _flat(observation)
    return struct.pack("%df" % len(numbers), *numbers) if numbers else None


def is_truth(value):
    """Reports whether a value is of truth values, as those of Python, numpy and torch."""
    if hasattr(value, "dtype"):
        return str(value.dtype) in ("bool", "torch.bool")
    return isinstance(value, (list, tuple)) and bool(value) and all(type(x).__name__ in ("bool", "bool_") for x in value)


def _is_whole(value):
    if hasattr(value, "dtype"):
        return "int" in str(value.dtype)
    return isinstance(value, (list, tuple)) and all(type(x) is int for x in value)


def is_padding(ended):
    """Reports whether a list of 0 and 1 has nothing but 1 behind its first 1, as rows that were filled up."""
    first = ended.index(1.0)
    return all(ended[first:])


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
    """Yields a variable and what it holds, each with its name as the program writes it; and what dicts and named tuples in it hold."""
    yield name, value
    for field, part in _fields(name, value):
        yield field, part
        if isinstance(part, Mapping) or isinstance(part, tuple) and hasattr(part, "_fields"):
            yield from _fields(field, part)


def _fields(name, value):
    if isinstance(value, Mapping):
        yield from (("%s[%.40r]" % (name, key), part) for key, part in list(value.items())[:32])
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        yield from (("%s.%s" % (name, field), part) for field, part in zip(value._fields, value))
    elif isinstance(value, (list, tuple)) and len(value) <= 32:
        yield from (("%s[%d]" % (name, i), part) for i, part in enumerate(value))
    elif hasattr(value, "__dict__") and not callable(value):
        yield from (("%s.%s" % (name, key), part) for key, part in list(vars(value).items())[:64])


def flag_of_row(frame, reward):
    """Returns the name and the truth value of a transition: the only truth value beside its reward, the very object, in a tuple, dict or
    object of a frame and its callers; None where there is none."""
    for _ in range(DEPTH):
        if frame is None:
            return None
        for variable, value in list(frame.f_locals.items()):
            row = list(_fields(variable, value))
            if any(part is reward for _, part in row):
                flags = [(name, bool(part)) for name, part in row if type(part).__name__ in ("bool", "bool_")]
                if len(flags) == 1 and end_or_not(flags[0][0], True)[0]:
                    return flags[0]
        frame = frame.f_back
    return None


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
