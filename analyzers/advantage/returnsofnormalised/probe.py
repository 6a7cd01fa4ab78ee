"""ADV045: whether a part of the returns has variance one.

Confirmed if the spread of one part of the flagged sum is one, three times. Its mean may be anything: some add it again. Else it is refuted.
"""

from rlvet_harness import Probe

MANY, ROOM = 16, 0.8  # numbers of a normalised batch, and how far from 1 their spread may be: part of them may have been masked


class ReturnsOfNormalised(Probe):
    """Watches the sum of advantages and values."""

    enough = 3
    needs = "parts of many numbers each, whose spread is far from that of normalised ones"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seen = 0

    def hit(self, hit):
        parts = [hit.part("left"), hit.part("right")]
        if not all(hasattr(x, "std") and hasattr(x, "numel") and x.numel() > 2 for x in parts):
            return
        spreads = [abs(float(x.std()) - 1) for x in parts]
        if min(spreads) < 1e-2:
            self.seen += 1
            if self.seen >= self.enough:
                self.confirm("a part of the returns has spread one", times=self.seen)
        elif min(spreads) < ROOM:
            self.unsure("a part of the returns is like some of the numbers of a normalised batch")
        elif all(x.numel() >= MANY for x in parts):
            self.upheld()

    def holds(self):
        return "no part of the returns was normalised"
