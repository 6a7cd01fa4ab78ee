"""reward: finite, and no gradient flows through it.

Source: Sutton and Barto 2018, section 3.1.
"""

from rlvet_harness.contract import Contract


class Reward(Contract):
    """Watches rewards."""

    needs = "finite numbers"

    def look(self, hit, seen):
        if seen.requires_grad:
            self.confirm("it carries a gradient, and a reward is a number that is given", value=seen.brief())
        else:
            self.upheld()

    def holds(self):
        return "it was finite and carried no gradient"
