"""DIST008: the noise, where it meets what it moves.

A single random number that is combined with several elements confirms: they all move by
the same amount. Noise that only ever meets single elements, or has as many as they, refutes.
"""

from rlvet_harness import Probe, numbers


class ScalarNoise(Probe):
    """Watches a draw, and the sums and products that it enters."""

    joins = True
    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.met = 0

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is not None and seen.count:
            self.show(noise_elements=seen.count)
            self.run.joins.follow(self, hit.value)

    def joined(self, noise, other, out):
        """Looks at one sum or product: three numbers of elements."""
        self.met += 1
        if noise == 1 and out > 1:
            self.confirm("one random number is combined with several elements", elements=out)

    def end(self):
        if not self.met:
            self.unsure("the noise was not seen to be added to or multiplied with anything")

    def holds(self):
        return "the noise had as many elements as what it was combined with"
