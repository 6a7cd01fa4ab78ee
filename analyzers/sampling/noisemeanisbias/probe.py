"""DIST010: checks the mean of the noise.

Confirmed if an element of the mean is not 0: the action includes that offset already.
Refuted if all are 0 over the run: the action space is symmetric, and the mistake is harmless
there. Of noise with a memory, a sum of a pull back and a draw, it asks whether the draw is never negative.
"""

from rlvet_harness import Probe, numbers


class NoiseMeanIsBias(Probe):
    """Watches the mean of a normal draw, or what a sum adds."""

    needs = "a mean of numbers, or a draw"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.sums = 0
        self.above = self.below = False  # whether what was added was positive and negative at times

    def hit(self, hit):
        if {"left", "right"} <= set(hit.parts):
            self.added(hit)
            return
        mean = hit.part("mean", "loc") if {"mean", "loc"} & set(hit.parts) else hit.argument(0)
        seen = numbers(mean)
        if seen is None or seen.count == 0:
            return
        self.show(mean=seen.brief())
        self.plot(mean_of_noise=seen.mean)
        if seen.zeros < seen.count:
            self.confirm("the noise is not centred on 0", mean=seen.brief())
        else:
            self.upheld()

    def added(self, hit):
        """Looks at what one sum adds, and judges when 20 were seen."""
        seen = numbers(hit.parts["right"])
        if seen is None or seen.count == 0:
            return
        self.sums += 1
        self.below = self.below or seen.low < 0
        self.above = self.above or seen.high > 0
        if self.below:
            self.upheld()
        elif self.sums == 20 and self.above:
            self.confirm("none of the draws was negative", rounds=self.sums)

    def holds(self):
        if self.sums:
            return "what was added was negative at times"
        return "the mean of the noise was 0 at every draw"
