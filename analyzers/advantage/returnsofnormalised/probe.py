"""ADV045: whether a part of the returns has variance one.

Confirmed if the mean of one part of the flagged sum is zero and its spread one, three times. Else it is refuted.
"""

from rlvet_harness import Probe

MANY, ROOM = 16, 0.8  # numbers of a normalised batch, and how far from 0 their mean and from 1 their spread may be


class ReturnsOfNormalised(Probe):
    """Watches the sum of advantages and values."""

    enough = 3
    needs = "parts of many numbers each, whose mean or spread is far from that of normalised ones"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seen = 0

    def hit(self, hit):
        parts = [hit.part("left"), hit.part("right")]
        if not all(hasattr(x, "std") and hasattr(x, "numel") and x.numel() > 2 for x in parts):
            return
        moments = [(abs(float(x.mean())), abs(float(x.std()) - 1)) for x in parts]
        if any(mean < 1e-4 and spread < 1e-2 for mean, spread in moments):
            self.seen += 1
            if self.seen >= self.enough:
                self.confirm("a part of the returns has mean zero and spread one", times=self.seen)
        elif any(mean < ROOM and spread < ROOM for mean, spread in moments):
            self.unsure("a part of the returns is like some of the numbers of a normalised batch")
        elif all(x.numel() >= MANY for x in parts):
            self.upheld()

    def holds(self):
        return "no part of the returns was normalised"
