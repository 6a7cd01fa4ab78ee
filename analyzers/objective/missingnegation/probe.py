"""OBJ003: checks with which sign the loss counts what a policy gains.

The flagged value is a product, the smaller of two gains, or the larger of two losses: the
pessimistic side shows which. Confirmed if a backward pass shows that the loss rises with a
gain, or falls with a loss. Refuted if it falls with a gain, or rises with a loss.
"""

from rlvet_harness import Probe


class MissingNegation(Probe):
    """Watches logp * A, min(a, b) or max(a, b)."""

    enough = 5

    def __init__(self, target, run):
        super().__init__(target, run)
        self.right = 0

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
        self.at_backward(value, lambda gradient: self.reached(sign * float(gradient.sum())))

    def reached(self, slope):
        self.show(slope_by_gain=slope)
        if slope > 0:
            self.confirm("the loss rises with what the policy gains", slope=slope)
        elif slope < 0:
            self.right += 1

    def end(self):
        if self.right < self.enough:
            self.unsure("too few backward passes reached the objective")

    def holds(self):
        return "the loss fell as the policy gained more"
