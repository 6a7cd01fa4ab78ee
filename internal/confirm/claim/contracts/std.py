"""std: finite and positive.

Source: torch.distributions.Normal, scale.
"""

from rlvet_harness.contract import Contract


class Std(Contract):
    """Watches a standard deviation."""

    enough = 20
    needs = "finite numbers"

    def look(self, hit, seen):
        if seen.low <= 0:
            self.confirm("its least number is %.3g" % seen.low, value=seen.brief())
        else:
            self.upheld()

    def holds(self):
        return "it was positive"
