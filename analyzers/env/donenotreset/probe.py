"""ENV008: whether the flag is set only once.

That no other line of the loop over episodes sets it is known; the run shows that the line is
reached, and once only for all the episodes.
"""

from rlvet_harness import Probe


class DoneNotReset(Probe):
    """Watches the value that the flag has before the episodes."""

    enough = 1
    needs = "what no run shows: that the line is reached confirms"

    def hit(self, hit):
        if hit.value:
            self.unsure("the flag is true before the first episode")
        else:
            self.confirm("the flag was set before the episodes, and no episode sets it again")
