"""OBJ001: the value that is used as the importance ratio.

At the first update on a rollout the policies are the same: a ratio is 1 there, a log-ratio
is 0. The table of the first mini-epochs explains why a ratio drifts from 1 later.
"""

from rlvet_harness import Probe, numbers


class LogRatioAsRatio(Probe):
    """Watches the difference of log-probs that stands where a ratio should."""

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.first = None

    def hit(self, hit):
        ratio = numbers(hit.value)
        if ratio is None or ratio.count == 0 or ratio.mean is None:
            return
        value = hit.value
        outside = float(((value < 0.8) | (value > 1.2)).float().mean()) if hasattr(value, "float") else None
        self.show(mean=ratio.mean, low=ratio.low, high=ratio.high, outside_of_0_8_to_1_2=outside)
        self.plot(ratio.mean)
        if self.first is None:
            self.first = ratio.mean
        if ratio.negative:
            self.confirm("it is negative, which no ratio is", ratio=ratio.brief())
        elif abs(ratio.mean) < 0.05 and hit.index == 0:
            self.confirm("it is %.3g at the first update, where the policies are the same and a ratio is 1" % ratio.mean, ratio=ratio.brief())

    def holds(self):
        return "it was %.3g at the first update, as a ratio is" % self.first
