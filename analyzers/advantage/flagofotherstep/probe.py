"""ADV047: a flag of the end of an episode, where it is kept or read as that of another step.

A flag that never changes cuts nothing. It confirms once the flag was 1 at one step and 0 at another.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flat


class FlagOfOtherStep(Probe):
    """Watches the flag."""

    enough = 1
    needs = "what no run shows: a flag that is always alike shows nothing"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seen = set()

    def hit(self, hit):
        for x in flat(hit.value) or ():
            self.seen.add(bool(x))
        if len(self.seen) == 2:
            self.confirm("an episode ended, and its flag was taken for that of the step beside it")
