"""ADV018: the denominator that the epsilon does not guard.

If the epsilon was added to the quotient or to the numerator, a denominator of zero
confirms, and so does a quotient that is not finite. If only the mean is divided, a result
that differs from (x - mean) / spread confirms; both use the numbers of the program. A
denominator that stayed away from zero refutes only for this run: its smallest value is
printed.
"""

import ast
import math

from rlvet_harness import Probe, numbers


class EpsOutsideDivision(Probe):
    """Watches the sum, difference or quotient that should be a standardisation."""

    needs = "a quotient in numbers, of finite values"
    deep = True

    def __init__(self, target, run):
        super().__init__(target, run)
        node = self.expression()
        self.difference = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
        self.shift = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) or _is_add(node)
        self.floor = math.inf

    def hit(self, hit):
        if self.difference and "right_right" in hit.parts:
            self.only_the_mean(hit)
        elif self.shift:
            quotient = hit.part("left", "receiver", "arg0")
            self.denominator(hit.part("left_right", "receiver_arg0", "arg0_right"), quotient)
        else:
            self.denominator(hit.part("right", "arg0"), hit.value)

    def denominator(self, spread, quotient):
        """Looks at the denominator and the quotient."""
        spread, quotient = numbers(spread), numbers(quotient)
        if quotient is None or self.run.nonfinite is not None:
            return
        self.show(quotient=quotient.brief(), denominator=spread.brief() if spread else None)
        if spread is not None and spread.low is not None:
            self.floor = min(self.floor, spread.low)
            self.plot(smallest_denominator=spread.low)
        if spread is not None and spread.tiny:
            self.confirm("the denominator is 0", denominator=spread.brief(), quotient=quotient.brief())
        elif quotient.bad and (spread is None or not spread.bad):
            self.confirm("the quotient was not finite before the epsilon was added", quotient=quotient.brief())
        elif quotient.count and not quotient.bad:
            self.upheld()

    def only_the_mean(self, hit):
        """Compares x - mean / spread with what was meant."""
        x, mean, spread = hit.part("left"), hit.part("right_left"), hit.part("right_right")
        off = numbers(abs(hit.value - (x - mean) / spread))
        if off is None or off.high is None:
            return
        self.show(mean=numbers(mean).brief(), spread=numbers(spread).brief(), off_by=off.high)
        self.plot(largest_difference=off.high)
        if off.high > 0.01:
            self.confirm("the result differs from (x - mean) / spread of the same numbers", off_by_at_most=off.high, mean=numbers(mean).brief(), spread=numbers(spread).brief())

    def holds(self):
        if self.difference:
            return "the result was (x - mean) / spread to within 0.01"
        if self.floor < math.inf:
            return "the denominator was never below %.3g" % self.floor
        return "the quotient was finite before the epsilon was added"


def _is_add(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("add", "add_")
