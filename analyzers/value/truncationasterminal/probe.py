"""VAL001: whether steps that were only cut off count no next value.

Confirmed if the mask is 0 where a flag near it says that the step was cut off, and another near it says that it did not
terminate.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flags_near, flat


class TruncationAsTerminal(Probe):
    """Watches the mask of the next value."""

    enough = 5

    def __init__(self, target, run):
        super().__init__(target, run)
        self.kept = 0

    def hit(self, hit):
        mask = flat(hit.value)
        if not mask or len(mask) < 2:
            return
        zero = {i for i, x in enumerate(mask) if x == 0}
        flags = [{i for i, x in enumerate(f) if x} for f in flags_near(self.frame(), len(mask))]
        for one in flags:
            for other in flags:
                if one - other and other - one and one | other == zero:
                    self.confirm("the next value is left out where the episode was only cut off", ended=len(one), cut=len(other - one))
        self.kept += 1

    def end(self):
        if not self.confirmed and self.kept < self.enough:
            self.unsure("the two flags were not seen near the mask")

    def holds(self):
        return "the mask was not both flags together"
