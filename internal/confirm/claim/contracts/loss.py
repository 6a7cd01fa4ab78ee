"""loss: finite, one number, and with a gradient where gradients are recorded.

Source: torch.Tensor.backward.
"""

import sys

from rlvet_harness.contract import Contract


class Loss(Contract):
    """Watches a loss."""

    def look(self, hit, seen):
        if sys.modules["torch"].is_grad_enabled() and hasattr(hit.value, "requires_grad") and not seen.requires_grad:
            self.confirm("it carries no gradient: nothing is trained by it", value=seen.brief())

    def holds(self):
        return "it was finite and carried a gradient"
