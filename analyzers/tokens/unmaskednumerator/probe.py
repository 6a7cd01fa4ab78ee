"""TOK040: whether a sum over all positions is another number than the sum under a mask near it."""

from rlvet_harness import Probe
from rlvet_harness.masks import masks_near
from rlvet_harness.observe import is_tensor


class UnmaskedNumerator(Probe):
    """Watches a sum of all positions."""

    needs = "a mask of this size in sight that leaves out nothing but zeros, beside numbers that count"

    def hit(self, hit):
        x = hit.argument(0)
        if not is_tensor(x) or x.dim() < 1:
            return
        right = False
        for name, keep in masks_near(self.frame(), x):
            outside = float(x.detach().double()[~keep].abs().sum())
            if outside > 1e-6:
                self.confirm("positions that the mask `%s` leaves out are in the sum" % name, outside=outside)
            right = right or bool((x.detach()[keep] != 0).any())
        if right:
            self.upheld()

    def holds(self):
        return "what the mask leaves out was 0"
