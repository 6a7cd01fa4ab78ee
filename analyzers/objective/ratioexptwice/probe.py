"""OBJ021: checks the exponential of a ratio at the first update.

The policies are equal there, so a ratio is 1. Confirmed if the exponential of an argument of
1 is near 2.718. Refuted if the exponential is near 1. A run whose first update is already
off-policy is inconclusive.
"""

import math

from rlvet_harness import Probe, numbers

NEAR = 0.1


class RatioExpTwice(Probe):
    """Watches exp(x)."""

    enough = 1
    needs = "numbers around 1 at the first update"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.first = self.step = None

    def hit(self, hit):
        early = self.first is None or hit.step == self.step
        if not early and hit.index % 16:
            return  # what comes before the first step decides, and reading numbers from a GPU waits for it
        ratio = numbers(hit.value)
        if ratio is None or ratio.mean is None:
            return
        self.show(ratio=ratio.brief())
        self.plot(ratio=ratio.mean)
        if not early:
            return
        if self.first is None:
            self.first, self.step = ratio.mean, hit.step
        argument = numbers(hit.argument(0, "input"))
        if abs(ratio.mean - math.e) < NEAR and argument is not None and abs(argument.mean - 1) < NEAR:
            self.confirm("it is %.2f at the first update, where a ratio is 1" % ratio.mean, ratio=ratio.brief(), argument=argument.brief())
        elif abs(ratio.mean - 1) > NEAR:
            self.unsure("the policies already differ at the first update")
        else:
            self.upheld()

    def holds(self):
        return "it was %.3g at the first update, as a ratio is" % self.first
