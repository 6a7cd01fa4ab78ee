"""OBJ021: the exponential of a ratio at the first update.

The policies are the same there, so that a ratio is 1. An exponential near 2.718, of an
argument that is 1, confirms; an exponential near 1 refutes. A run whose first update is
off-policy already tells nothing.
"""

import math

from rlvet_harness import Probe, numbers

NEAR = 0.1


class RatioExpTwice(Probe):
    """Watches exp(x)."""

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.first = None

    def hit(self, hit):
        if self.first is not None and hit.index % 16:
            return  # the first update tells; reading numbers of a GPU waits for it
        ratio = numbers(hit.value)
        if ratio is None or ratio.mean is None:
            return
        self.show(mean=ratio.mean, low=ratio.low, high=ratio.high)
        self.plot(ratio=ratio.mean)
        if self.first is not None:
            return
        self.first = ratio.mean
        argument = numbers(hit.argument(0, "input"))
        if abs(ratio.mean - math.e) < NEAR and argument is not None and abs(argument.mean - 1) < NEAR:
            self.confirm("it is %.2f at the first update, where a ratio is 1" % ratio.mean, ratio=ratio.brief(), argument=argument.brief())
        elif abs(ratio.mean - 1) > NEAR:
            self.unsure("the policies differ at the first update already")

    def holds(self):
        return "it was %.3g at the first update, as a ratio is" % self.first
