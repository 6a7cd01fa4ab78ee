"""VAL041: numbers that lie on a neighbour.

It confirms if a distance from the upper neighbour is 0: that from the lower one is too, since both are the number itself.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flat


class ProjectionLosesMass(Probe):
    """Watches the distance of a number from the whole number above."""

    enough = 1

    def hit(self, hit):
        far = flat(hit.value)
        lost = sum(1 for x in far or () if x == 0)
        if lost:
            self.confirm("the number is whole there, and neither neighbour gets a share", lost=lost, of=len(far))

    def holds(self):
        return "no number was whole"
