"""ENV014: whether the sum behind the break is reached.

That the round which ends the episode does not come to it is known from the program.
"""

from rlvet_harness import Probe


class RewardAfterBreak(Probe):
    """Watches the reward that is added."""

    enough = 1
    needs = "what no run shows: that the line is reached confirms"

    def hit(self, hit):
        self.confirm("rewards are added here, in all rounds but that which ends the episode")
