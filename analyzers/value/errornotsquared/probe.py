"""VAL094: whether the gradient of a critic's error depends on its size.

Confirmed if the gradient at the flagged difference is the same for elements that differ. One that is not refutes. Where the flagged value
is a loss, the same is seen at its arguments.
"""

from rlvet_harness import Probe


class ErrorNotSquared(Probe):
    """Watches the difference."""

    enough = 3
    needs = "a backward pass through different errors"

    def hit(self, hit):
        value = hit.value
        if getattr(value, "requires_grad", False) and value.numel() > 1 and bool((value != value.flatten()[0]).any()):
            self.at_backward(value, self.reached)
        elif getattr(value, "requires_grad", False) and value.numel() == 1:  # a loss, of the errors of its arguments
            for part in hit.parts.values():
                if getattr(part, "requires_grad", False) and part.numel() > 1:
                    self.at_backward(part, lambda gradient: self.upheld(not alike(gradient)))

    def reached(self, gradient):
        if alike(gradient):
            self.confirm("the gradient is the same whatever the error is", elements=int(gradient.numel()))
        else:
            self.upheld()

    def holds(self):
        return "the gradient was not seen to ignore the error"


def alike(gradient):
    """Reports whether all elements of a gradient are the same."""
    return bool(((gradient - gradient.flatten()[0]).abs() <= 1e-6 * gradient.abs().max()).all())
