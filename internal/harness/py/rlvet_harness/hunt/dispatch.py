"""Sees every operation of torch, forward and backward, and records those whose output is
not finite. What it costs is paid only in the steps that are looked at."""

from . import places, tensors
from .records import FILLS, QUESTIONS, UNINITIALISED, Record

# ENTRIES hand over what was made outside torch: numbers of Python, arrays of numpy.
ENTRIES = ("lift_fresh", "lift_fresh_copy", "lift")


def recorder(watching):
    """Returns the mode that calls ``watching.computed`` after each operation."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Recorder(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            out = func(*args, **kwargs)
            watching.computed(func, args, kwargs, out)
            return out

    return Recorder()


class Operations:
    """Turns operations into records. ``phase``, ``module`` and ``step`` are set by whoever
    knows them; ``earlier`` says whether the program ran before it was watched."""

    def __init__(self, run, memory, earlier):
        self.run, self.memory, self.earlier = run, memory, earlier
        self.phase, self.module, self.calling = "forward", None, None
        self.pending = []  # records of backward whose node is not known yet
        self.count = 0

    def computed(self, func, args, kwargs, out):
        name = _name(func)
        if name in QUESTIONS:
            for tensor in filter(tensors.is_bad, tensors.tensors_in(args)):
                self.memory.ask(tensor, _kind(tensor))
        for tensor in tensors.tensors_in(out):
            if tensors.is_bad(tensor):
                self.record(name, tensor, args, kwargs)
            elif _covers(tensor):
                self.memory.forget(tensor)

    def record(self, op, out, args, kwargs):
        self.count += 1
        kind = _kind(out)
        inputs = [t for t in tensors.tensors_in((args, kwargs)) if t.is_floating_point() and t is not out]
        bad = [] if op in UNINITIALISED else [t for t in inputs if tensors.is_bad(t)]
        frame = self.run.frame()
        record = Record(op, kind, places.of_frame(self.run, frame), phase=self.phase, module=self.module, step=self.run.steps, number=self.count)
        record.function = _function_at(frame)
        record.parents = [self.cause(op, t, kind, record) for t in bad]
        if op.endswith("_") and op not in OVERWRITING and self.memory.get(out, kind) is not None:
            record.parents.append(self.memory.get(out, kind))  # what it was before counts, too
        if self.is_entry(op, record, args, kwargs):
            record.entered, record.parents = True, []
        self.describe(record, op, inputs, out, args)
        if self.phase == "backward" and (frame is None or frame is self.calling):
            self.pending.append(record)
        if not (record.parents and op in VIEWS):  # a view of what is bad is no news
            self.memory.put(out, record)

    def is_entry(self, op, record, args, kwargs):
        """Reports whether what is bad came with an operation from outside torch: as memory,
        or as a number such as an infinite learning rate."""
        if op.rstrip("_") in ENTRIES:
            return not (record.parents and record.parents[0])
        return not record.parents and op.rstrip("_") not in FILLS and bool(tensors.numbers_bad([v for v in (*args, *kwargs.values()) if isinstance(v, float)]))

    def cause(self, op, tensor, kind, record):
        """Returns the record that a bad input comes from; makes one where there is none."""
        known = self.memory.get(tensor, _kind(tensor))
        if known is not None or op.rstrip("_") in ENTRIES:
            return known
        unknown = Record("unknown", _kind(tensor), record.place, phase=record.phase, module=record.module)
        unknown.earlier, unknown.entered = self.earlier, not self.earlier
        unknown.outputs, unknown.step, unknown.number = [tensors.stats(tensor)], record.step, 0
        unknown.text = places.source(self.run, record.place)
        self.memory.put(tensor, unknown)
        return unknown

    def describe(self, record, op, inputs, out, args):
        record.text = places.source(self.run, record.place)
        filled = op.rstrip("_") in FILLS and not record.parents
        meant = record.kind in record.text.lower() or (record.kind == "nan" and "empty" in op)
        record.deliberate = record.kind == "inf" and (filled or record.entered and meant)
        if not record.parents or record.kind == "nan" and all(p.kind == "inf" for p in record.parents):
            record.inputs = [tensors.stats(t) for t in inputs[:4]]
            record.outputs = [tensors.stats(out)]


# OVERWRITING operations leave nothing of what was there.
OVERWRITING = ("copy_", "fill_", "zero_", "normal_", "uniform_", "random_", "bernoulli_", "exponential_", "set_", "resize_")

# VIEWS hand on what they are given.
VIEWS = ("view", "select", "slice", "expand", "t", "transpose", "permute", "unsqueeze", "squeeze", "detach", "alias", "as_strided", "unbind", "split", "_unsafe_view", "_reshape_alias", "diagonal")


def _function_at(frame):
    """Returns the name of the autograd.Function in whose forward or backward a frame is."""
    if frame is None or not frame.f_code.co_argcount:
        return None
    context = frame.f_locals.get(frame.f_code.co_varnames[0])
    own = getattr(type(context), "_forward_cls", None)
    return own.__qualname__ if own is not None else None


def _kind(tensor):
    """Returns what makes a tensor bad: NaN where it holds one, else infinity."""
    return "nan" if tensors.has_nan(tensor) else "inf"


def _name(func):
    """Returns the name of an operation of aten: exp_ for aten.exp_.default."""
    return func._schema.name.rpartition("::")[2]


def _covers(tensor):
    """Reports whether a tensor is all that its memory holds."""
    if not tensors.is_plain(tensor):
        return False
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    size = storage.nbytes() if hasattr(storage, "nbytes") else len(storage) * tensor.element_size()
    return tensor.numel() * tensor.element_size() >= size

