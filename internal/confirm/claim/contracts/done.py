"""done: 0 or 1 each.

Source: Gymnasium, Env.step.
"""

from rlvet_harness.contract import Contract


class Done(Contract):
    """Watches the end of episodes: terminated, truncated or both, or the opposite."""

    needs = "an episode that ends, and one that goes on"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.ends = self.goes_on = False

    def look(self, hit, seen):
        high = (hit.value == 1).sum() if hasattr(hit.value, "sum") else None
        if seen.low < 0 or seen.high > 1 or high is not None and int(high) + seen.zeros != seen.count:
            self.confirm("it has other numbers than 0 and 1", value=seen.brief())
        self.ends, self.goes_on = self.ends or seen.high == 1, self.goes_on or seen.low == 0
        if self.ends and self.goes_on:
            self.upheld()

    def holds(self):
        return "it was 0 or 1"
