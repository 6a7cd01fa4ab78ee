"""OFF080: whether two parts of a transition are one observation.

Confirmed if at several evaluations in a row two parts with more than one number are equal. Parts that differ refute.
"""

import itertools

from rlvet_harness import Probe
from rlvet_harness.flags import flat


class StateStoredTwice(Probe):
    """Watches what a transition is put together of."""

    enough = 3
    needs = "two observations of one size in the transition that differ, and nothing in it that cannot be read"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.equal = self.other = 0

    def hit(self, hit):
        held = hit.value if isinstance(hit.value, (tuple, list)) else [v for k, v in hit.parts.items() if k != "receiver"]
        seen = list(map(flat, held))
        parts = [x for x in seen if x and len(x) > 1]
        if any(a == b for a, b in itertools.combinations(parts, 2)):
            self.equal += 1
        elif len(parts) > 1:
            self.other += 1
            longest = max(map(len, parts))
            self.upheld(None not in seen and sum(len(x) == longest for x in parts) > 1)
        if self.equal >= self.enough and not self.other:
            self.confirm("state and next state were the same numbers at every step", steps=self.equal)

    def end(self):
        if not self.equal + self.other:
            self.unsure("no two observations were seen in the transition")

    def holds(self):
        return "state and next state differed"
