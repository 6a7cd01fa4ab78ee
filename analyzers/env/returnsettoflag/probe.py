"""ENV032: what the running return is set to.

It confirms if it is set to nothing but 0 and 1: the flag says whether an episode ended, and no reward is in it.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flat


class ReturnSetToFlag(Probe):
    """Watches what replaces the running return."""

    enough = 2
    needs = "a return that is neither 0 nor 1"

    def hit(self, hit):
        values = flat(hit.value)
        if self.hits >= 2 and values and all(v in (0, 1) for v in values):
            self.confirm("the running return was set to a flag, and what was added up before is gone", value=values[0])
        self.upheld(bool(values) and any(v not in (0, 1) for v in values))

    def holds(self):
        return "the running return was no flag"
