"""OBJ023: checks the slope of the quotient, and compares it with the ratio of its operands.

If no operand is above 0, they are logarithms of probabilities. Confirmed then if the quotient
falls where its numerator rises, since the slope of a ratio is the ratio itself, or if it
differs from exp(left - right) by more than 1 %. If one of the two is a probability, confirmed if
the quotient is negative. Refuted if the operands lie between 0 and 1:
they are probabilities. A difference that is exponentiated is confirmed if one of its operands
lies between 0 and 1, for the logarithm of a probability does not.
"""

import sys

from rlvet_harness import Probe, numbers


class RatioOfLogProbs(Probe):
    """Watches left / right, or left - right in an exponent."""

    enough = 5
    needs = "operands between 0 and 1 of a quotient, or below 0 of a difference"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.probabilities = 0
        self.subtracted = False

    def hit(self, hit):
        above, below = (hit.part("left"), hit.part("right")) if "right" in hit.parts else (hit.argument(0, "input"), hit.argument(1, "other"))
        if above is None or below is None:
            return
        if above is hit.value:  # in place: it now holds the quotient
            above = (hit.value * below).detach()
        left, right = numbers(above), numbers(below)
        if left is None or right is None or left.low is None or right.low is None:
            return
        self.show(left=left.brief(), right=right.brief())
        if self.subtracts(hit, above, below):
            self.difference(left, right)
        elif left.high <= 0 and right.high <= 0 and left.low < 0 and right.low < 0:
            self.logarithms(hit.value, above, below)
        elif left.low >= 0 and right.low >= 0 and left.high <= 1 and right.high <= 1:
            self.probabilities += 1
            self.upheld()
        elif hasattr(above, "exp") and hasattr(below, "exp") and (left.high <= 0 <= right.low or right.high <= 0 <= left.low):
            seen = numbers(hit.value)
            if seen is not None and seen.low is not None and seen.low < 0:
                self.confirm("it is negative, and a ratio never is", quotient=seen.brief())
        else:
            self.unsure("the operands are neither log-probabilities nor probabilities throughout")

    def subtracts(self, hit, above, below):
        """Tells a difference from a quotient by its value."""
        off = numbers((hit.value - (above - below)).abs()) if hasattr(above, "exp") else None
        return off is not None and off.high is not None and off.high < 1e-6

    def difference(self, left, right):
        self.subtracted = True
        for side in (left, right):
            if 0 < side.low and side.high <= 1:
                self.confirm("one side lies between 0 and 1: a probability, not its logarithm", left=left.brief(), right=right.brief())
                return
        if left.high <= 0 and right.high <= 0 and left.low < 0 and right.low < 0:
            self.upheld()

    def logarithms(self, quotient, above, below):
        slope = numbers(_slope(quotient))
        ratio = (above - below).exp() if hasattr(above, "exp") else None
        if slope is not None and slope.high is not None and slope.high < 0:
            self.plot(slope=slope.mean)
            self.confirm("it falls where its numerator, a log-probability, rises", slope=slope.brief(), quotient=numbers(quotient).brief())
        elif ratio is not None:
            off = numbers((quotient - ratio).abs() / ratio)
            if off.high is not None and off.high > 0.01:
                self.confirm("it differs from exp(left - right)", quotient=numbers(quotient).brief(), ratio=numbers(ratio).brief())

    def end(self):
        if self.probabilities < self.enough and not self.subtracted:
            self.unsure("the policies were equal at too many evaluations to tell the quotient from a ratio")

    def holds(self):
        return "no operand lay between 0 and 1" if self.subtracted else "it was a quotient of probabilities"


def _slope(quotient):
    """Returns the derivative of a quotient by its numerator, computed by the graph."""
    node = getattr(quotient, "grad_fn", None)
    if node is None or not type(node).__name__.startswith("Div"):
        return None
    return node(sys.modules["torch"].ones_like(quotient))[0]
