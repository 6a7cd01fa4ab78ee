"""GRAD010: the log; an infinite element confirms."""

from rlvet_harness import Probe, numbers


class LogOfSoftmax(Probe):
    """Watches the log of a softmax or sigmoid."""

    needs = "a logarithm of numbers"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.lowest = 0.0

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is None or seen.count == 0:
            return
        self.show(logarithm=seen.brief())
        if seen.low is not None:
            self.lowest = min(self.lowest, seen.low)
            self.plot(smallest_logarithm=seen.low)
        if seen.inf:
            self.confirm("the probability is exactly 0 and its log -inf", elements=seen.inf, logarithm=seen.brief())
        else:
            self.upheld(seen.low is not None)

    def holds(self):
        return "the log was never below %.3g" % self.lowest
