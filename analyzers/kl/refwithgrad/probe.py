"""KL008: what the reference yields; it confirms if that requires a gradient and a backward reaches it."""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class RefWithGrad(Probe):
    """Watches an evaluation of the reference."""

    enough = 3
    needs = "what the reference yields without a gradient, or a backward that does not reach it"

    def hit(self, hit):
        value = getattr(hit.value, "logits", hit.value)
        if not is_tensor(value):
            self.unsure("the reference yields no tensor")
        elif value.requires_grad:
            self.at_backward(value, self.reached)
            self.run.after_backward.append(self.over)
        else:
            self.upheld()

    def over(self):
        """Is called when the backward after an evaluation is over, which did not reach it."""
        if self.confirmed is None:
            self.upheld()

    def reached(self, gradient):
        self.confirm("backward computes gradients for the reference", elements=gradient.numel())

    def holds(self):
        return "no backward reached the reference"
