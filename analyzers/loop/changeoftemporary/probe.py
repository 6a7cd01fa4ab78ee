"""LOOP051: whether a copy is changed in place and dropped.

That the expression makes a copy is known; a run shows that the line is reached.
"""

from rlvet_harness import Probe


class ChangeOfTemporary(Probe):
    """Watches the call that changes a copy."""

    enough = 1
    needs = "what no run shows: that the line is reached confirms"

    def hit(self, hit):
        self.confirm("the changed copy was dropped")
