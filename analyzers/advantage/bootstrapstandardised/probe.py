"""ADV025: the standardised values; it confirms if their mean is 0 though they are values of several states."""

from rlvet_harness import Probe, numbers


class BootstrapStandardised(Probe):
    """Watches values of next states."""

    enough = 3

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is None or seen.count < 2 or seen.mean is None or seen.low is None:
            return
        self.show(values=seen.brief())
        if seen.high > seen.low and abs(seen.mean) < 1e-3 * (seen.high - seen.low):
            self.confirm("the values of the next states have a mean of 0", values=seen.brief())

    def holds(self):
        return "the mean of the values was not 0"
