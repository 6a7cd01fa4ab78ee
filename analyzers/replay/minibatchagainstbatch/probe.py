"""OFF025: how many rows the two sides have.

The flagged expression is one side of the difference. Confirmed if the statement fails since the sizes do not fit, or if its rows
outnumber those of the other tensors with gradients of the same statement's function that have as many axes; sides with equally many
rows refute.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class MinibatchAgainstBatch(Probe):
    """Watches the side that is not indexed."""

    enough = 1
    needs = "a value with gradients in sight that has as many rows, and none that has fewer"

    def failed(self, error):
        text = str(error)
        if "must match the size" in text or "shape mismatch" in text:
            return "the sides have different numbers of rows: %s" % text[:80]
        return None

    def hit(self, hit):
        value = hit.value
        if not is_tensor(value) or value.dim() == 0:
            return
        rows = {v.shape[0] for v in list(self.frame().f_locals.values()) if is_tensor(v) and v.requires_grad and v.dim() == value.dim()}
        if rows and all(n < value.shape[0] for n in rows):
            self.confirm("%d rows against a minibatch of %d" % (value.shape[0], max(rows)), rows=int(value.shape[0]))
        else:
            self.upheld(rows == {value.shape[0]})

    def holds(self):
        return "both sides had as many rows"
