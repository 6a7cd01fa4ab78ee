"""OBJ023: the slope of the quotient, and the ratio that its operands give.

Where both operands are logarithms of probabilities (none is above 0), a quotient that
falls where its numerator rises confirms, for the slope of a ratio is the ratio itself; so
does a quotient that differs from exp(left - right) by more than 1 %. Operands between 0
and 1 are probabilities and refute.
"""

import sys

from rlvet_harness import Probe, numbers


class RatioOfLogProbs(Probe):
    """Watches left / right."""

    enough = 5

    def __init__(self, target, run):
        super().__init__(target, run)
        self.probabilities = 0

    def hit(self, hit):
        above, below = (hit.part("left"), hit.part("right")) if "right" in hit.parts else (hit.argument(0, "input"), hit.argument(1, "other"))
        if above is None or below is None:
            return
        if above is hit.value:  # in place: it is the quotient by now
            above = (hit.value * below).detach()
        left, right = numbers(above), numbers(below)
        if left is None or right is None or left.low is None or right.low is None:
            return
        self.show(left=left.brief(), right=right.brief())
        if left.high <= 0 and right.high <= 0 and left.low < 0 and right.low < 0:
            self.logarithms(hit.value, above, below)
        elif left.low >= 0 and right.low >= 0 and left.high <= 1 and right.high <= 1:
            self.probabilities += 1
        else:
            self.unsure("the operands are neither all logarithms of probabilities nor all probabilities")

    def logarithms(self, quotient, above, below):
        slope = numbers(_slope(quotient))
        ratio = (above - below).exp() if hasattr(above, "exp") else None
        if slope is not None and slope.high is not None and slope.high < 0:
            self.plot(slope=slope.mean)
            self.confirm("it falls where its numerator, the logarithm of a probability, rises", slope=slope.brief(), quotient=numbers(quotient).brief())
        elif ratio is not None:
            off = numbers((quotient - ratio).abs() / ratio)
            if off.high is not None and off.high > 0.01:
                self.confirm("it is not exp(left - right) of the same logarithms", quotient=numbers(quotient).brief(), ratio=numbers(ratio).brief())

    def end(self):
        if self.probabilities < self.enough:
            self.unsure("too few evaluations tell the quotient from a ratio: the policies were the same")

    def holds(self):
        return "it was a quotient of probabilities"


def _slope(quotient):
    """Returns the derivative of a quotient by its numerator, as the graph has it."""
    node = getattr(quotient, "grad_fn", None)
    if node is None or not type(node).__name__.startswith("Div"):
        return None
    return node(sys.modules["torch"].ones_like(quotient))[0]
