"""loss: finite, one number, and with a gradient where gradients are recorded.

Source: torch.Tensor.backward.
"""

import sys

from rlvet_harness.contract import Contract
from rlvet_harness.graph import leaves

ROUNDING = 1e-4  # what is left of terms of a size up to 1,000 that cancel, in single precision
FOLLOWED = 3  # losses of which the gradients are computed


class Loss(Contract):
    """Watches a loss. The gradients that it brings by itself are computed for the first ones: terms that cancel leave rounding, which
    looks like a gradient."""

    needs = "a loss that by itself brings a parameter a gradient larger than rounding"

    def look(self, hit, seen):
        torch = sys.modules.get("torch")
        if torch is None or not torch.is_grad_enabled() or not hasattr(hit.value, "requires_grad"):
            return
        if not seen.requires_grad:
            self.confirm("it carries no gradient: nothing is trained by it", value=seen.brief())
        elif self.looked <= FOLLOWED and hit.value.grad_fn is not None:
            parameters = list(leaves(hit.value.grad_fn))
            gradients = torch.autograd.grad(hit.value.sum(), parameters, retain_graph=True, allow_unused=True)
            largest = max((float(g.abs().max()) for g in gradients if g is not None and g.numel()), default=0.0)
            self.show(largest_gradient=largest)
            if largest > ROUNDING:
                self.upheld()

    def holds(self):
        return "it was finite, and brought gradients larger than rounding"
