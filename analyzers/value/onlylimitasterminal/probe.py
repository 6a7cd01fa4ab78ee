"""VAL072: whether a target counts no next value where a limit of time ended the episode.

That nothing else ends the task is what the checker knows of its id. So a masked value that is 0 in some row confirms, and a run in which no episode
comes to its end shows nothing.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flat


class OnlyLimitAsTerminal(Probe):
    """Watches the masked value of what comes next."""

    needs = "what no run shows: a value that is 0 confirms, and where none is no episode came to its end"

    def hit(self, hit):
        values = flat(hit.value)
        if values and any(x == 0 for x in values):
            self.confirm("the next value is left out where only the limit of time ended the episode", cut=sum(x == 0 for x in values))
        else:
            self.unsure("no episode came to its end among the rows of the target")
