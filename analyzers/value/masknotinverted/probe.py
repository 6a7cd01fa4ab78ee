"""VAL070: where the value of the next state is counted.

It confirms if a part of the sum is other than 0 exactly where a flag of the ends of episodes, near it, is 1. Any flag that says the
opposite is perhaps the one that was meant: then nothing is known. But ends are rare. So it refutes only if a flag of ends is 0 exactly
where the value is counted, on most rows and not by padding, and confirms if the value is counted on few of many rows: the flag was turned
round before it was stored.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import ends_near, flags_near, flat, is_padding

ROWS = 100  # that are looked at before a share of them says anything
RARE = 4  # a flag that is 0 on less than one row of so many is no flag of ends


class MaskNotInverted(Probe):
    """Watches the sum of reward and discounted value."""

    enough = 1
    needs = "a flag of the ends of episodes in sight, by its name or its type, that is 0 exactly where the next value is counted"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seen = 0
        self.rows = self.counted = 0  # of batches in which a flag says the opposite

    def hit(self, hit):
        for part in (flat(hit.part("left")), flat(hit.part("right"))):
            if not part or len(part) < 2:
                continue
            counted = [float(x != 0) for x in part]
            flags, over = flags_near(self.frame(), len(part)), [1 - x for x in counted]
            ends = [ended for _, ended in ends_near(self.frame(), len(part))]
            self.seen += bool(flags)
            opposite = over in flags and counted not in ends
            self.upheld(over in ends and counted not in ends and not is_padding(over))
            if opposite:
                self.rows, self.counted = self.rows + len(part), self.counted + int(sum(counted))
                if self.rows >= ROWS and RARE * self.counted < self.rows:
                    self.confirm("the next value is counted on few rows, though ends are rare: the flag was turned round before", counted=self.counted, of=self.rows)
            if counted in ends and over not in ends:
                self.confirm("the next value is counted where a flag of the batch is 1, and nowhere else", counted=int(sum(counted)), of=len(part))

    def end(self):
        if not self.seen:
            self.unsure("no flag of the ends of episodes was found around the sum")

    def holds(self):
        return "the next value was not counted where a flag was 1 alone"
