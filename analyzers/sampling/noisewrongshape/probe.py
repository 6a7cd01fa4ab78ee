"""DIST009: the noise, where it is added to the actions.

Noise with fewer elements than what it is added to confirms: broadcasting repeats the draw.
As many refute.
"""

from rlvet_harness import Probe, numbers


class NoiseWrongShape(Probe):
    """Watches a draw, and the sums and products that it enters."""

    joins = True
    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.met = 0

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is not None and seen.count:
            self.show(noise_shape=list(seen.shape))
            self.run.joins.follow(self, hit.value)

    def joined(self, noise, other, out):
        """Looks at one sum or product: three numbers of elements."""
        self.met += 1
        if noise < out:
            self.confirm("the noise has %d elements and what it moves has %d: the draw is repeated" % (noise, out))

    def end(self):
        if not self.met:
            self.unsure("the noise was not seen to be added to anything")

    def holds(self):
        return "the noise had as many elements as what it was added to"
