"""ENV069: whether an action that a policy squashed comes to the environment.

Bounds and scale are what the checker knows; a run adds that the line is reached.
"""

from rlvet_harness import Probe


class ActionsOfOtherBounds(Probe):
    """Watches the action."""

    needs = "what no run shows: that the line is reached confirms"

    def hit(self, hit):
        self.confirm("the environment got an action of another range")
