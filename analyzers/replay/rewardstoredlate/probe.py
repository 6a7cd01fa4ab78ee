"""OFF019: the reward that is stored, and the one that the step brought.

The variable holds at one store what the step before brought. It confirms if that differs from
what it holds at the store before.
"""

from rlvet_harness import Probe


class RewardStoredLate(Probe):
    """Watches the reward that is stored."""

    enough = 1
    needs = "what no run shows: rewards that are all alike show nothing"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last = None

    def hit(self, hit):
        value = hit.value
        if hasattr(value, "tolist"):
            value = value.tolist()
        if self.last is not None and value != self.last:
            self.confirm("a step was stored with another reward than it brought", stored=repr(self.last)[:40], brought=repr(value)[:40])
        self.last = value
