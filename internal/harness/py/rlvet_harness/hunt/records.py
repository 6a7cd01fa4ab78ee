"""Remembers where numbers that are not finite came from.

Every operation whose output holds NaN or infinity leaves a record, found again by the
memory of the output: saved tensors, views and detached tensors share it. A record knows
the records of its own inputs, so that from the loss one walks back to the operation whose
inputs were all finite (:func:`root`).

Infinities are often meant: a mask of -inf, an initial minimum of inf. They are made by
filling, and a chain does not end at such a record but at the operation behind it that
made NaN of it or let it through to the loss.
"""

FILLS = ("masked_fill", "fill", "full", "full_like", "new_full", "scalar_tensor", "constant_pad_nd", "triu", "tril")
PICKS = ("gather", "index", "select", "take", "nll_loss_forward", "index_select", "take_along_dim")
UNINITIALISED = ("empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "resize_")
QUESTIONS = ("isnan", "isinf", "isfinite", "eq", "ne")  # by which a program tells numbers that are not finite


class Record:
    """One operation whose output is not finite.

    kind is "nan" where the output holds one, else "inf". entered is set for what comes
    from outside torch, earlier for what was there before anything was watched.
    """

    __slots__ = ("op", "kind", "place", "module", "phase", "inputs", "outputs", "parents", "deliberate", "entered", "earlier", "step", "function", "text", "number")

    def __init__(self, op, kind, place, **fields):
        self.op, self.kind, self.place = op, kind, place
        self.module = self.function = None
        self.phase, self.inputs, self.outputs, self.parents = "forward", [], [], []
        self.deliberate = self.entered = self.earlier = False
        self.step, self.text, self.number = 0, "", 0
        for name, value in fields.items():
            setattr(self, name, value)


class Memory:
    """The latest records of the memory of tensors: one with NaN, one with infinities.

    What memory happened to hold when it was reserved means nothing until the program
    computes with it, which leaves a record of its own, or asks whether it is finite.
    """

    def __init__(self):
        self.by_address = {}
        self.last = {}  # the latest record of each kind, over all that mean something

    def put(self, tensor, record):
        nan, inf = self.by_address.get(address(tensor), (None, None))
        self.by_address[address(tensor)] = (record, inf) if record.kind == "nan" else (nan, record)
        if record.op not in UNINITIALISED:
            self.last[record.kind] = record

    def ask(self, tensor, kind):
        """Notes that the program asked whether a tensor is finite, and it is not."""
        record = self.get(tensor, kind)
        if record is not None and record.op in UNINITIALISED:
            self.last[record.kind] = record

    def get(self, tensor, kind):
        found = self.by_address.get(address(tensor), (None, None))
        return found[0] or found[1] if kind == "nan" else found[1] or found[0]

    def forget(self, tensor):
        self.by_address.pop(address(tensor), None)


def address(tensor):
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    return (str(tensor.device), storage.data_ptr())


def chain(record):
    """Returns the records from the first bad value to this one.

    NaN is followed rather than infinity, what was computed rather than what was filled
    in, and of several the oldest.
    """
    out, seen = [record], {id(record)}
    while True:
        parent = _cause(record)
        if parent is None or id(parent) in seen:
            break
        out.append(parent)
        seen.add(id(parent))
        record = parent
    out.reverse()
    return _without_what_was_meant(out)


def _cause(record):
    """Returns the parent that a record's badness comes from, None where it is its own."""
    parents = [p for p in record.parents if p is not None]
    nans = [p for p in parents if p.kind == "nan"]
    if nans:
        return min(nans, key=lambda p: p.number)
    computed = [p for p in parents if not is_meant(p)]
    if computed:
        return min(computed, key=lambda p: p.number)
    if record.kind == "nan" or not parents:  # it made NaN of infinities that were meant
        return None
    return min(parents, key=lambda p: p.number)


def is_meant(record):
    """Reports whether all that a record's infinities come from was put in on purpose."""
    if record.kind == "nan":
        return False
    for _ in range(200):
        if record.deliberate:
            return True
        parents = [p for p in record.parents if p is not None]
        if not parents or any(p.kind == "nan" for p in parents):
            return False
        record = min(parents, key=lambda p: p.deliberate)  # one that was not meant is enough
    return False


def _without_what_was_meant(records):
    """Leaves out the beginning of a chain that was meant: a mask, and what was computed of
    it, up to where it was picked."""
    if not records[0].deliberate:
        return records
    for i, record in enumerate(records):
        if record.op.rstrip("_") in PICKS or record.kind == "nan":
            return records[i:]
    return records[-1:]
