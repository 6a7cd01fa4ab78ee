"""VAL099: whether the observation that stands after a reset is read.

That it is of the next episode where one is over, and that nothing reads the last one, is known from the program.
"""

from rlvet_harness import Probe


class FinalObservationUnread(Probe):
    """Watches the returned observation where it is first read."""

    enough = 1
    needs = "what no run shows: that the line is reached confirms"

    def hit(self, hit):
        self.confirm("the returned observation is read here")
