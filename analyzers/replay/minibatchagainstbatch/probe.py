"""OFF025: which rows the two sides have.

The flagged expression is one side of the difference. Confirmed if the statement fails since the sizes do not fit, if its rows
outnumber those of the other tensors with gradients of the same statement's function that have as many axes, or if it has the numbers
of one of these in another order. As many rows may be other rows: refuted if the numbers are those of a value with gradients in
the same order, as before the first step on a rollout, or if they are what the index of the minibatch takes of a tensor in sight.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import parts_near
from rlvet_harness.observe import is_tensor

FEW = 8  # rows that are hardly in order by chance
NEAR = 1e-5  # between numbers that are equal but for rounding
FAR = 1e-3  # between numbers that differ


class MinibatchAgainstBatch(Probe):
    """Watches the side that is not indexed."""

    enough = 1
    needs = "as many rows as each value with gradients in sight has, and in the same order: its numbers, or those that the index in sight takes"

    def failed(self, error):
        text = str(error)
        if "must match the size" in text or "shape mismatch" in text:
            return "the sides have different numbers of rows: %s" % text[:80]
        return None

    def hit(self, hit):
        value, frame = hit.value, self.frame()
        if not is_tensor(value) or value.dim() == 0 or frame is None:
            return
        beside = [v for v in list(frame.f_locals.values()) if is_tensor(v) and v.requires_grad and v.dim() == value.dim()]
        rows = {v.shape[0] for v in beside}
        if rows and all(n < value.shape[0] for n in rows):
            self.confirm("%d rows against a minibatch of %d" % (value.shape[0], max(rows)), rows=int(value.shape[0]))
            return
        if rows != {value.shape[0]} or value.shape[0] < FEW:
            return
        orders = [_order(v.detach(), value.detach()) for v in beside if v is not value and v.shape == value.shape]
        if "same" in orders or _taken(value, hit.part("value"), frame):
            self.upheld()
        elif "other" in orders:
            self.confirm("both sides have the same numbers in another order", rows=int(value.shape[0]))

    def holds(self):
        return "both sides had the same rows"


def _order(one, other):
    """Says whether two tensors have the same numbers in the same order or in another; None where they have not."""
    if not one.is_floating_point() or one.dtype != other.dtype or one.device != other.device:
        return None
    one, other = one.reshape(len(one), -1), other.reshape(len(other), -1)
    scale = 1 + float(one.abs().max())
    if len(one.unique(dim=0)) < FEW or not float((one - one.mean(0)).abs().max()) > FAR * scale:
        return None
    apart = float((one - other).abs().max())
    if apart <= NEAR * scale:
        return "same"
    shuffled = float((one.sort(0).values - other.sort(0).values).abs().max()) <= NEAR * scale
    return "other" if shuffled and apart > FAR * scale else None


def _taken(value, whole, frame):
    """Reports whether each index of a minibatch in sight takes these rows of a tensor, and they are not merely its first."""
    parts = [part for _, _, part in parts_near(frame)]
    wholes = [t for t in [whole, *parts] if is_tensor(t) and t is not value and t.shape[1:] == value.shape[1:] and t.dim() and t.dtype == value.dtype]
    indices = [at for at in (_positions(part, value.shape[0]) for part in parts) if at is not None]
    return bool(indices) and all(any(_takes(t, at, value) for t in wholes) for at in indices)


def _takes(whole, at, value):
    if max(at) >= len(whole) or whole.device != value.device:
        return False
    return bool((whole[at] == value).all()) and not bool((whole[: len(at)] == value).all())


def _positions(index, count):
    """Returns an index as a list, None where it is none of that many different rows."""
    if isinstance(index, list) or hasattr(index, "tolist") and getattr(index, "ndim", 0) == 1:
        at = index if isinstance(index, list) else index.tolist()
        if len(at) == count and all(type(i) is int and i >= 0 for i in at) and len(set(at)) == count:
            return at
    return None
