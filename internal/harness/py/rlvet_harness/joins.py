"""Follows values through sums and products to what they are combined with.

Where a probe asks for it (``joins``), the arithmetic of tensors is wrapped. A followed
value that is scaled by a number or clipped stays the same draw; where it meets a tensor of
several elements, or one as large as itself, the probe is told how many elements the value,
the tensor and the result have.
"""

import sys
import weakref

BINARY = ("__add__", "__radd__", "__iadd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__imul__", "__truediv__", "add", "sub", "mul", "div", "add_", "mul_")
UNARY = ("clamp", "clip", "clamp_", "to", "float", "double", "type", "cpu", "cuda", "view", "reshape", "unsqueeze", "detach")
CONVERTING = ("as_tensor", "tensor", "from_numpy")


class Joins:
    """The values that are followed, and for whom."""

    def __init__(self):
        self.followed = {}  # id -> the value or a reference to it, and the probe

    def follow(self, probe, value):
        """Begins to follow a value."""
        try:
            held = weakref.ref(value)
        except TypeError:  # a number: held, so that its id stays its own
            held = lambda kept=value: kept
        if len(self.followed) > 1000:
            self.followed = {k: v for k, v in self.followed.items() if v[0]() is not None and hasattr(v[0](), "shape")}
        self.followed[id(value)] = held, probe

    def probe_of(self, value):
        held, probe = self.followed.get(id(value), (None, None))
        return probe if held is not None and held() is value else None

    def combined(self, a, b, out):
        """Is told of a op b = out, elementwise."""
        for noise, other in ((a, b), (b, a)):
            probe = self.probe_of(noise)
            if probe is None:
                continue
            if _elements(other) == 1 and _elements(noise) > 1 or not hasattr(other, "shape"):
                self.follow(probe, out)
            else:
                probe.guarded(probe.joined, _elements(noise), _elements(other), _elements(out))

    def kept(self, value, out):
        """Is told of an operation after which a draw is the same draw."""
        probe = self.probe_of(value)
        if probe is not None:
            self.follow(probe, out)


def _elements(value):
    count = 1
    for size in getattr(value, "shape", ()):
        count *= size
    return count


def install_torch(torch, run):
    """Wraps the arithmetic of tensors."""
    if run.joins is None:
        return
    for owner in (torch.Tensor, torch):
        for name in BINARY:
            wrap(owner, name, lambda args, out: len(args) > 1 and run.joins.combined(args[0], args[1], out))
        for name in UNARY + CONVERTING:
            if owner is torch.Tensor or name in CONVERTING + ("clamp", "clip"):
                wrap(owner, name, lambda args, out: args and run.joins.kept(args[0], out))


def install_numpy(numpy, run):
    """Wraps the functions through which noise of numpy goes."""
    if run.joins is not None:
        wrap(numpy, "clip", lambda args, out: args and run.joins.kept(args[0], out))


def wrap(owner, name, tell):
    """Has tell called with the arguments and the result of a function, after each call."""
    function = getattr(owner, name, None)
    if not callable(function):  # torch.cuda is a module
        return

    def call(*args, **kwargs):
        out = function(*args, **kwargs)
        tell(args, out)
        return out

    call.__name__, call.__wrapped__ = name, function
    setattr(owner, name, call)
