"""DIST009: compares the sizes of the noise and of the actions it is added to.

Confirmed if the noise has fewer elements: broadcasting repeats the draw. Refuted if it has
as many.
"""

from rlvet_harness import Probe, numbers


class NoiseWrongShape(Probe):
    """Watches a draw, and the sums and products it enters."""

    joins = True
    enough = 1
    needs = "a sum or product with several numbers that the noise enters"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.met = 0

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is not None and seen.count:
            self.show(noise_shape=list(seen.shape))
            self.run.joins.follow(self, hit.value)

    def joined(self, noise, other, out):
        """Checks one sum or product, given its numbers of elements."""
        self.met += 1
        if noise < out:
            self.confirm("the noise has %d elements and the actions have %d: the draw is repeated" % (noise, out))
        else:
            self.upheld(out > 1)

    def end(self):
        if not self.met:
            self.unsure("the noise was added to nothing in this run")

    def holds(self):
        return "the noise had as many elements as the actions"
