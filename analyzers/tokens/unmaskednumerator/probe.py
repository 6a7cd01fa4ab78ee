"""TOK040: whether a sum over all positions is another number than the sum under a mask near it."""

from rlvet_harness import Probe
from rlvet_harness.masks import masks_near
from rlvet_harness.observe import is_tensor


class UnmaskedNumerator(Probe):
    """Watches a sum of all positions."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.looked = 0

    def hit(self, hit):
        x = hit.argument(0)
        if not is_tensor(x) or x.dim() < 1:
            return
        self.looked += 1
        for name, keep in masks_near(self.frame(), x):
            outside = float(x.detach().double()[~keep].abs().sum())
            if outside > 1e-6:
                self.confirm("positions that the mask `%s` leaves out are in the sum" % name, outside=outside)

    def end(self):
        if self.looked and not self.confirmed:
            self.unsure("no mask of this size was near, or what it leaves out is 0")

    def holds(self):
        return "what the mask leaves out was 0"
