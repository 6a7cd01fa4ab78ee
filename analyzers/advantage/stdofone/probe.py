"""ADV019: how many elements the standard deviation runs over, and its value.

One element and NaN, from values that are finite, confirm. More elements at every
evaluation refute.
"""

import math

from rlvet_harness import Probe, numbers


class StdOfOne(Probe):
    """Watches x.std(...) and its relatives."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.fewest = math.inf

    def hit(self, hit):
        values = numbers(hit.argument(0, "input", "a"))
        spread = hit.value[0] if isinstance(hit.value, tuple) else hit.value  # std_mean gives two
        spread = numbers(spread)
        if values is None or spread is None or not spread.count or not values.count:
            self.unsure("what the standard deviation runs over was not seen")
            return
        over = values.count // spread.count
        self.fewest = min(self.fewest, over)
        self.show(elements=over, spread=spread.brief())
        self.plot(over)
        if over == 1 and spread.nan and not values.bad:
            self.confirm("over one element it is NaN", shape=values.shape, spread=spread.brief())

    def holds(self):
        if self.fewest == 1:
            return "over one element it was a number"
        return "it never ran over less than %d elements" % self.fewest
