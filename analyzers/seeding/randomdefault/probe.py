"""SEED001: whether a default that is drawn at random is computed once, for all calls.

That Python computes defaults where the function is defined is known; a run shows that the line is reached.
"""

from rlvet_harness import Probe


class RandomDefault(Probe):
    """Watches the default."""

    enough = 1
    needs = "what no run shows: that the line is reached confirms"

    def hit(self, hit):
        self.confirm("the default was drawn once, as %r" % (hit.value,))
