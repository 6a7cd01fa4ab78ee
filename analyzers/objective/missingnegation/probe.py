"""OBJ003: checks with which sign the loss counts what a policy gains.

The flagged value is a product, the smaller of two gains, or the larger of two losses: the
pessimistic side shows which. Confirmed if a backward pass shows that the loss rises with a
gain, or falls with a loss. Refuted if it falls with a gain, or rises with a loss.
"""

from rlvet_harness import Probe

# Operations behind which a factor has the same sign.
PASSING = ("View", "UnsafeView", "Reshape", "Squeeze", "Unsqueeze", "Slice", "Select", "Expand", "Clone", "Sum", "Mean", "ToCopy", "Index", "Transpose", "T", "Stack", "Cat", "Mul")


class MissingNegation(Probe):
    """Watches logp * A, min(a, b) or max(a, b)."""

    enough = 5
    needs = "a gain that is no negative of one, and a backward that brings it a gradient, which a step then uses"

    def hit(self, hit):
        value = hit.value
        if not getattr(value, "requires_grad", False) or self.confirmed is not None:
            return
        sign = 1
        one, other = hit.argument(0, "input"), hit.argument(1, "other")
        if getattr(one, "shape", None) is not None and getattr(other, "shape", None) is not None:
            apart = (one - other).detach().abs() > 1e-6
            if not bool(apart.any()):
                return
            larger = bool((value >= one).all()) and bool((value >= other).all())
            sign = -1 if larger else 1
        plain = not any(negated(fn) for fn, _ in value.grad_fn.next_functions) if value.grad_fn is not None else False
        self.at_step(value, lambda gradient: self.reached(sign * float(gradient.sum()), plain))

    def reached(self, slope, plain):
        self.show(slope_by_gain=slope)
        if slope > 0:
            self.confirm("the loss rises with what the policy gains", slope=slope)
        elif slope < 0 and plain:
            self.upheld()

    def holds(self):
        return "the loss fell as the policy gained more"


def negated(node):
    """Reports whether a factor is the negative of something, or a cross entropy, which is that of a log-probability."""
    while node is not None and not node.name().startswith(("Neg", "NllLoss", "BinaryCrossEntropy")):
        if not node.name().startswith(PASSING):
            return False
        node = node.next_functions[0][0] if node.next_functions else None
    return node is not None
