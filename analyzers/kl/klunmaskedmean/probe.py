"""KL007: whether a statistic over all positions is another number than under a mask near it."""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor
from rlvet_harness.padding import masked_otherwise


class KlUnmaskedMean(Probe):
    """Watches a mean or spread and what it is of."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.looked = 0

    def hit(self, hit):
        x = hit.argument(0)
        if not is_tensor(x):
            return
        self.looked += 1
        seen = masked_otherwise(self.frame(), x, hit.value)
        if seen is not None:
            self.confirm("positions that the mask leaves out change the number", **seen)

    def end(self):
        if self.looked and not self.confirmed:
            self.unsure("no mask of this size was near, or all positions count")

    def holds(self):
        return "nothing but what the mask lets through counted"
