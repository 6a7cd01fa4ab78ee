"""VAL041: numbers that lie on a neighbour.

It confirms if a distance from the upper neighbour is 0: that from the lower one is too, since both are the number itself.
"""

from rlvet_harness import Probe, numbers


class ProjectionLosesMass(Probe):
    """Watches the distance of a number from the whole number above."""

    enough = 1
    needs = "distances of numbers"

    def hit(self, hit):
        far = numbers(hit.value)
        if far is None or not far.count:
            return
        if far.zeros:
            self.confirm("the number is whole there, and neither neighbour gets a share", lost=far.zeros, of=far.count)
        else:
            self.upheld()

    def holds(self):
        return "no number was whole"
