"""VAL094: whether the gradient of a critic's error depends on its size.

Confirmed if the gradient at the flagged difference is the same for elements that differ. Where the flagged value is a loss, it is refuted if it is
never negative.
"""

from rlvet_harness import Probe


class ErrorNotSquared(Probe):
    """Watches the difference."""

    enough = 3

    def hit(self, hit):
        value = hit.value
        if getattr(value, "requires_grad", False) and value.numel() > 1 and bool((value != value.flatten()[0]).any()):
            self.at_backward(value, self.reached)

    def reached(self, gradient):
        if bool(((gradient - gradient.flatten()[0]).abs() <= 1e-6 * gradient.abs().max()).all()):
            self.confirm("the gradient is the same whatever the error is", elements=int(gradient.numel()))

    def holds(self):
        return "the gradient was not seen to ignore the error"
