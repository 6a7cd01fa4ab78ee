"""divisor: finite and never 0, nor so small that the quotient overflows.

Source: IEEE 754, division; Schulman et al. 2017 standardise advantages by their std, which a flat batch makes 0.
"""

from rlvet_harness.contract import Contract

LEAST = 1e-12


class Divisor(Contract):
    """Watches what something is divided by."""

    enough = 20
    needs = "finite numbers"

    def look(self, hit, seen):
        if seen.zeros:
            self.confirm("%d of %d numbers are 0" % (seen.zeros, seen.count), value=seen.brief())
        elif seen.tiny or max(abs(seen.low), abs(seen.high)) < LEAST:
            self.confirm("it is as good as 0", value=seen.brief())
        else:
            self.upheld()

    def holds(self):
        return "it was never 0"
