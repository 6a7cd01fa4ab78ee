"""ADV045: whether a part of the returns has variance one.

Confirmed if the mean of one part of the flagged sum is zero and its spread one, three times. Else it is refuted.
"""

from rlvet_harness import Probe


class ReturnsOfNormalised(Probe):
    """Watches the sum of advantages and values."""

    enough = 3

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seen = 0

    def hit(self, hit):
        parts = [hit.part("left"), hit.part("right")]
        if any(hasattr(x, "std") and x.numel() > 2 and abs(float(x.mean())) < 1e-4 and abs(float(x.std()) - 1) < 1e-2 for x in parts):
            self.seen += 1
            if self.seen >= self.enough:
                self.confirm("a part of the returns has mean zero and spread one", times=self.seen)

    def holds(self):
        return "no part of the returns was normalised"
