"""OBJ019: minus the ratio at the first update, where the policies are equal.

An estimate of their KL is 0 there, and minus a ratio is -1.
"""

from rlvet_harness import Probe, numbers

NEAR = 0.1


class RatioAsLogRatio(Probe):
    """Watches -ratio, or minus its mean."""

    enough = 1
    needs = "numbers around 0 at the first update"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.first = self.step = None

    def hit(self, hit):
        seen = numbers(hit.value)
        if self.first is not None and hit.step != self.step or seen is None or seen.mean is None:
            return
        if self.first is None:
            self.first, self.step = seen.mean, hit.step
        self.show(estimate=seen.brief())
        if abs(seen.mean + 1) < NEAR:
            self.confirm("it is %.3g at the first update, where the KL is 0" % seen.mean, estimate=seen.brief())
        elif abs(seen.mean) > NEAR:
            self.unsure("the policies already differ at the first update")
        else:
            self.upheld()

    def holds(self):
        return "it was %.3g at the first update, as a KL is" % (self.first + 0.0)
