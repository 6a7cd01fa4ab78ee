"""Finds tensors that backward needs and that the program changes before backward runs.

Autograd notices a change in place by a counter, and raises. What is changed through
``.data``, or through an array of numpy that shares the memory, it does not notice: the
gradient is finite and wrong. So each tensor that is saved for backward is summed up when
it is saved and again when it is used, in the first steps of the run; and each operation
that works in place leaves its line with the memory that it writes to.
"""

from ..instrument import Instrument
from . import places, tensors
from .records import address

STEPS = 12  # optimizer steps that are looked at
IN_PLACE = ("__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ifloordiv__", "__ipow__", "__imod__")
LARGEST = 1 << 22  # elements of a tensor that is summed up


class InPlace(Instrument):
    """Compares saved tensors with what they were."""

    def __init__(self, settings, run):
        super().__init__(settings, run)
        self.torch = self.mode = self.hooks = None
        self.written = {}  # the last line that wrote to a memory in place
        self.changed = {}  # by line

    def imported(self, torch):
        self.torch = torch
        self.hooks = torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack)
        self.mode = _calls(self)
        self.hooks.__enter__()
        self.mode.__enter__()

    def stepped(self, optimizer):
        if self.run.steps >= self.settings.get("steps", STEPS):
            self.stop()

    def stop(self):
        if self.mode is not None:
            mode, self.mode = self.mode, None
            mode.__exit__(None, None, None)
            self.hooks.__exit__(None, None, None)

    def called(self, name, tensor):
        """Is called with each operation of the program that works in place."""
        place = places.of_frame(self.run, self.run.frame())
        self.written[address(tensor)] = (name, place)

    def pack(self, tensor):
        """Is called in forward with what backward will need."""
        self.written.pop(address(tensor), None)
        return _Saved(tensor, places.of_frame(self.run, self.run.frame()))

    def unpack(self, saved):
        """Is called in backward; what autograd would refuse, it refuses here, too."""
        if saved.tensor._version != saved.version:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: "
                "saved at %s:%s" % (saved.place["filename"], saved.place["row"])
            )
        written = self.written.get(address(saved.tensor))
        if written is not None and saved.sums != _sums(saved.tensor):
            self.tell(saved, *written)
        return saved.tensor

    def tell(self, saved, op, place):
        if place["filename"] is None:
            return
        self.changed.setdefault((place["filename"], place["row"]), {
            "filename": place["filename"], "row": place["row"], "column": place["column"], "op": op, "source": places.source(self.run, place),
            "saved_filename": saved.place["filename"], "saved_row": saved.place["row"], "saved_source": places.source(self.run, saved.place),
            "step": self.run.steps, "shape": list(saved.tensor.shape),
        })

    def end(self, status):
        self.stop()
        self.keep({"changed": list(self.changed.values()), "steps": min(self.run.steps, self.settings.get("steps", STEPS))})


def _calls(saved):
    """Returns the mode that tells of functions of torch that work in place."""
    torch = saved.torch

    class Calls(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            name = getattr(func, "__name__", "")
            if (name.endswith("_") and not name.endswith("__") or name in IN_PLACE) and args and isinstance(args[0], torch.Tensor):
                saved.run.instruments.guarded(saved, saved.called, name, args[0])
            return out

    return Calls()


class _Saved:
    """A tensor that waits for backward, and what it summed up to."""

    __slots__ = ("tensor", "version", "sums", "place")

    def __init__(self, tensor, place):
        # Detached: an output that its own node holds would never be freed.
        self.tensor, self.place = tensor.detach(), place
        self.version, self.sums = tensor._version, _sums(tensor)


def _sums(tensor):
    if tensor.numel() > LARGEST or not tensor.is_floating_point() or not tensors.is_plain(tensor):
        return None
    x = tensor.detach().double()
    return float(x.sum()), float(x.square().sum())
