"""VAL031: whether one number masks a batch.

Confirmed if the mask is a single number, and what it is multiplied with, or a flag near it, is of many transitions that do not all end alike.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import ends_near, flat


class MaskOfOneRow(Probe):
    """Watches the mask of the next value."""

    enough = 3
    needs = "a mask with several numbers"

    def hit(self, hit):
        mask = flat(hit.value)
        if mask is None or len(mask) != 1:
            self.upheld(len(mask or ()) > 1)
            return
        for n in {len(flat(v) or ()) for v in list(self.frame().f_locals.values()) if not isinstance(v, (str, dict))}:
            if n > 1 and ends_near(self.frame(), n):
                self.confirm("one flag masks a batch of %d transitions that do not end alike" % n)
                return

    def holds(self):
        return "the mask had a number for each transition"
