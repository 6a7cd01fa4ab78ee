"""ADV020: the difference between values and the mean of their groups.

A difference of zero everywhere, while all values differ from each other, confirms at
once: that happens only if each value is its own group. If values repeat, as rewards of 0
and 1 do, a group may be constant by chance: then every evaluation with different values
must have given zero. One difference that is not zero refutes.
"""

from rlvet_harness import Probe, numbers

ROUNDING = 1e-5
MANY = 20  # evaluations of values that repeat


class GroupOfOneMean(Probe):
    """Watches x - mean of its group."""

    enough = 1
    needs = "values that differ, and a difference from their mean that is more than rounding"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.zero = 0  # evaluations with different values and no difference
        self.largest = 0.0

    def hit(self, hit):
        values = hit.part("left") if "left" in hit.parts else hit.argument(0, "input")
        seen, off = numbers(values), numbers(hit.value)
        if seen is None or off is None or off.low is None or seen.low == seen.high or seen.bad:
            return
        largest = max(abs(off.low), abs(off.high))
        self.largest = max(self.largest, largest)
        self.show(values=seen.brief(), difference=off.brief())
        self.plot(largest_difference=largest)
        if largest > ROUNDING * max(abs(seen.low), abs(seen.high)):
            self.upheld()
        if largest > 0:
            return
        self.zero += 1
        if _all_differ(values):
            self.confirm("%d different values, each equal to its mean" % seen.count, values=seen.brief())

    def end(self):
        if self.largest > 0:
            return
        if self.zero >= MANY:
            self.confirm("the difference was 0 at every evaluation with different values", evaluations=self.zero)

    def holds(self):
        return "the difference was up to %.3g" % self.largest


def _all_differ(values):
    flat = values.flatten().tolist()
    return len(set(flat)) == len(flat)
