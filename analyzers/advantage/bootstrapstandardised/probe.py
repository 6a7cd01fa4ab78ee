"""ADV025: the standardised values; it confirms if their mean is 0 though they are values of several states."""

import math

from rlvet_harness import Probe, numbers

FAR = 3  # ranges of a sample of standardised values that its mean times the root of its size does not reach


class BootstrapStandardised(Probe):
    """Watches values of next states."""

    enough = 3
    needs = "values whose mean is too far from 0, or whose range is too small, for a part of standardised ones"

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is None or seen.count < 2 or seen.mean is None or seen.low is None:
            return
        self.show(values=seen.brief())
        if seen.high > seen.low and abs(seen.mean) < 1e-3 * (seen.high - seen.low):
            self.confirm("the values of the next states have a mean of 0", values=seen.brief())
        elif abs(seen.mean) * math.sqrt(seen.count) > FAR * (seen.high - seen.low) or seen.count >= 8 and seen.high - seen.low < 1:
            self.upheld()

    def holds(self):
        return "the mean of the values was not 0"
