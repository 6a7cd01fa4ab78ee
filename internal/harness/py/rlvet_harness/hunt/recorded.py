"""What autograd.Functions and modules of a run were applied to, bounded in size.

Of each are kept: the first call; calls 2, 4, 8 ... of which the last two stay; the call with the
largest number that was looked at; and the last that was looked at. All but the last are copies.
"""

from . import shrink

SMALL = 1 << 16  # bytes of tensors of a call that are always copied
MOST = 1 << 24  # bytes of tensors of a call that are kept at all
LOOKED = 64  # calls that are all looked at; then one in eight, and each of a kind not seen before


class Calls:
    """The calls of one Function that are kept. module is the path of one that applied it."""

    def __init__(self, torch):
        self.torch, self.count, self.module = torch, 0, None
        self.first = self.last = self.extreme = None
        self.spread = []
        self.size = -1.0
        self.needed = set()  # the places of arguments that ever required gradients
        self.kinds = set()  # shapes of arguments and whether they required gradients
        self.too_large = False

    def counts(self, args, with_gradients):
        """Counts a call, and reports whether it is to be added: a Function may be called many thousand times."""
        self.count += 1
        kind = (with_gradients, *[(a.shape, a.dtype, a.requires_grad) if isinstance(a, self.torch.Tensor) else None for a in args])
        if kind in self.kinds and self.count > LOOKED:
            return self.count & (self.count - 1) == 0 or _is_drawn(self.count)
        self.kinds.add(kind)
        return True

    def add(self, args, step, with_gradients):
        """Keeps a call that counts; with_gradients says whether a graph of it was made."""
        if with_gradients:
            self.needed.update(i for i, a in enumerate(args) if self.is_tensor(a) and a.requires_grad)
        bytes_ = sum(a.numel() * a.element_size() for a in args if self.is_tensor(a))
        if bytes_ > MOST:
            self.too_large = True
            args = self.shrunk(args)
        call = Call(self.torch, args, step)
        if self.count == 1:
            self.first = call.copied()
        elif self.count & (self.count - 1) == 0:
            self.spread = self.spread[-1:] + [call.copied()]
        self.last = call.copied() if bytes_ <= SMALL else call
        self.note_extreme(call)

    def is_tensor(self, value):
        return isinstance(value, self.torch.Tensor)

    def shrunk(self, args):
        """Returns some rows of arguments that are too large to be kept."""
        smaller = list(shrink.ways(self.torch, [a.detach() if self.is_tensor(a) else a for a in args]))
        return smaller[-1][0] if smaller else args

    def note_extreme(self, call):
        largest = -1.0
        for a in call.args:
            if self.is_tensor(a) and a.is_floating_point() and a.device.type == "cpu" and 0 < a.numel() <= 1 << 16:
                largest = max(largest, float(a.abs().max()))
        if largest > self.size:
            self.size, self.extreme = largest, call.copied()

    def kept(self):
        """Returns the calls that are kept, the last ones first, each once."""
        calls = [c for c in [self.last, self.extreme, *reversed(self.spread), self.first] if c is not None]
        intact = [c for c in calls if c.is_intact()] or calls
        unique = []
        for call in intact:
            if not any(call.number == c.number for c in unique):
                unique.append(call)
        return unique


class Call:
    """The arguments of one call; tensors carry no gradients."""

    numbers = 0

    def __init__(self, torch, args, step, number=None):
        self.torch, self.step = torch, step
        if number is None:
            Call.numbers += 1
            number = Call.numbers
        self.number = number
        self.args = [a.detach() if isinstance(a, torch.Tensor) else a for a in args]
        self.versions = [_version(a) for a in self.args]

    def copied(self):
        return Call(self.torch, [a.clone() if isinstance(a, self.torch.Tensor) else a for a in self.args], self.step, self.number)

    def is_intact(self):
        """Reports whether no tensor was changed in place since."""
        return self.versions == [_version(a) for a in self.args]


def _is_drawn(count):
    """Reports whether a call is one in eight, in no fixed step: a program that applies a Function eight times in each
    round would show the same layer ever again."""
    return count * 2654435761 >> 16 & 7 == 0


def _version(value):
    try:
        return value._version
    except (AttributeError, RuntimeError):  # no tensor, or one of inference mode
        return None
