"""OBJ027: checks whether a gradient reaches the weight of a policy gradient.

Confirmed if a backward pass brings a gradient to the flagged weight. Refuted if it carries
none at five evaluations.
"""

from rlvet_harness import Probe


class WeightNotDetached(Probe):
    """Watches the probability or ratio that weighs a log-probability."""

    enough = 5
    needs = "a weight without a gradient, in numbers"

    def hit(self, hit):
        value = hit.value
        if getattr(value, "requires_grad", False) and self.confirmed is None:
            self.at_backward(value, self.reached)
        elif hasattr(value, "requires_grad") and not value.requires_grad and value.numel():
            self.upheld()

    def reached(self, gradient):
        size = float(gradient.abs().sum())
        self.show(gradient=size)
        if size > 0:
            self.confirm("the backward pass goes through the weight, too", gradient=size)

    def holds(self):
        return "no gradient reached the weight"
