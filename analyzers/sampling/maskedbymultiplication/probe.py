"""DIST026: what the scores of masked actions become.

Confirmed if the product is 0 where the mask is, and at least as large as the score of an allowed action of the same row: a
masked action is as good as that one, or better. Scores of masked actions that are below all others refute.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class MaskedByMultiplication(Probe):
    """Watches scores times a mask, or scores that were filled."""

    enough = 1
    needs = "a masked action with a score far below the others"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.filled = 0

    def hit(self, hit):
        value = hit.value
        if not is_tensor(value) or value.dim() == 0:
            return
        value = value.detach()
        low = value.amin(-1)
        self.filled += int((low < -1e4).any())
        self.upheld(bool((low < -1e4).any()))
        for mask, scores in ((hit.parts.get("left"), hit.parts.get("right")), (hit.parts.get("right"), hit.parts.get("left"))):
            if not is_tensor(mask) or not is_tensor(scores) or mask.shape[-1:] != value.shape[-1:]:
                continue
            if not bool(((mask == 0) | (mask == 1)).all()):
                continue
            off = (mask == 0).expand_as(value)
            worst = value.masked_fill(off, float("inf")).amin(-1)
            better = off.any(-1) & (worst <= 0)
            if bool(better.any()):
                self.confirm("a masked action has a score of 0, an allowed one less", rows=int(better.sum()), least=float(worst.min()))

    def end(self):
        if not self.filled:
            self.unsure("no masked action was seen beside an allowed one with a lower score")

    def holds(self):
        return "the scores of masked actions were below all others"
