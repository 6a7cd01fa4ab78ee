"""Probes of plain statistics: whether they are other numbers than under a mask that lies near."""

from .masks import masks_near
from .observe import is_tensor
from .probe import Probe


class PlainStatistic(Probe):
    """Watches a mean or spread over all positions and what it is of."""

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
            name = seen.pop("mask")
            self.confirm("positions that the mask `%s` leaves out change the number" % name, **seen)

    def end(self):
        if self.looked and not self.confirmed:
            self.unsure("no mask of this size was near, or all positions count")

    def holds(self):
        return "nothing but what the mask lets through counted"


def masked_otherwise(frame, x, out):
    """Returns what x has for a mean where a mask of the program lets through, and the name of that mask; None where no mask of its size
    is near or that mean is the one that came out. A spread is compared by the means, too."""
    if not is_tensor(x) or not is_tensor(out) or x.dim() < 1:
        return None
    numbers = x.detach().double()
    plain = float(numbers.mean())
    for name, keep in masks_near(frame, x):
        under = float(numbers[keep].mean())
        if abs(under - plain) > 1e-6 * (1 + abs(plain)):
            return {"mask": name, "over_all": plain, "under_the_mask": under, "share": float(keep.double().mean())}
    return None
