"""DIST008: compares the sizes of the noise and of the values it is combined with.

Confirmed if a single random number is combined with several elements: they all move by the
same amount. Refuted if the noise has as many elements as they do.
"""

from rlvet_harness import Probe, numbers


class ScalarNoise(Probe):
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
            self.show(noise_elements=seen.count)
            self.run.joins.follow(self, hit.value)

    def joined(self, noise, other, out):
        """Checks one sum or product, given its numbers of elements."""
        self.met += 1
        if noise == 1 and out > 1:
            self.confirm("one random number was broadcast over several elements", elements=out)
        else:
            self.upheld(out > 1)

    def end(self):
        if not self.met:
            self.unsure("the noise was added to or multiplied with nothing in this run")

    def holds(self):
        return "the noise had as many elements as the values it was combined with"
