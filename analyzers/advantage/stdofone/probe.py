"""ADV019: the number of elements of the standard deviation, and its value.

One element and NaN, from values that are finite, confirm. More elements at every
evaluation refute.
"""

import math

from rlvet_harness import Probe, numbers


class StdOfOne(Probe):
    """Watches x.std(...) and its relatives."""

    needs = "values and their standard deviation, in numbers"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.fewest = math.inf

    def hit(self, hit):
        values = hit.argument(0, "input", "a")
        spread = hit.value[0] if isinstance(hit.value, tuple) else hit.value  # std_mean gives two
        if not _count(values) or not _count(spread):
            self.unsure("the number of elements was not observed")
            return
        over = _count(values) // _count(spread)
        self.fewest = min(self.fewest, over)
        self.show(elements=over)
        self.plot(elements=over)
        if over == 1:
            values, spread = numbers(values), numbers(spread)
            if spread.nan and not values.bad:
                self.confirm("the result for one element is NaN", shape=values.shape, spread=spread.brief())
            elif not spread.bad and not values.bad:
                self.upheld()
        elif over > 1:
            self.upheld()

    def holds(self):
        if self.fewest == 1:
            return "the result for one element was a number"
        return "it always ran over at least %d elements" % self.fewest


def _count(value):
    """Returns the number of elements, by the shape alone; 0 where there is none."""
    return math.prod(value.shape) if hasattr(value, "shape") else 0
