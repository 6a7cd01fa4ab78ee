"""ADV009: the denominator and the quotient.

A denominator of zero, or so small that float32 keeps no digits of it, confirms; so does a
quotient that is not finite. That the denominator stayed away from zero refutes only what
was seen: the bound is printed with it.
"""

import math

from rlvet_harness import Probe, numbers


class StdWithoutEps(Probe):
    """Watches x / spread(x)."""

    needs = "the denominator and the quotient in numbers, both finite"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.floor = math.inf
        self.zeros = 0

    def hit(self, hit):
        spread = numbers(hit.part("right") if "right" in hit.parts else hit.argument(1, "other"))
        quotient = numbers(hit.value)
        if spread is None or quotient is None or spread.count == 0:
            return
        self.show(denominator=spread.brief(), quotient=quotient.brief())
        if spread.low is not None:
            self.floor = min(self.floor, spread.low)
            self.plot(smallest_denominator=spread.low)
        if spread.tiny:
            self.zeros += 1
            self.confirm("the denominator is 0", denominator=spread.brief(), quotient=quotient.brief())
        elif quotient.bad and not spread.bad:
            self.confirm("the quotient is not finite", denominator=spread.brief(), quotient=quotient.brief())
        elif not spread.bad:
            self.upheld()

    def end(self):
        if self.confirmed is not None:
            self.confirmed["seen"]["evaluations_with_zero"] = self.zeros

    def holds(self):
        return "the denominator was never below %.3g" % self.floor
