"""GRAD015: whether a gradient flows through the tensor that should be detached.

It confirms if a backward pass gives it a gradient that is not zero: the tensor that
detach() was called on went into a loss. Backward passes that bring it none, and tensors that have no
gradient to detach, refute.
"""

import sys

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class DetachedCopyUnused(Probe):
    """Watches the call of detach()."""

    enough = 2
    needs = "a backward pass after it"

    def hit(self, hit):
        value = hit.part("receiver")
        if not is_tensor(value):
            self.unsure("what was detached is no tensor")
        elif not value.requires_grad:
            self.upheld(sys.modules["torch"].is_grad_enabled())
        elif self.confirmed is None:
            self.at_backward(value, self.reached)
            self.run.after_backward.append(self.upheld)

    def reached(self, gradient):
        if bool(gradient.any()):
            self.confirm("a backward pass gave a gradient to the tensor that should be detached", largest_gradient=float(gradient.abs().max()))

    def holds(self):
        return "the detached tensor got no gradient"
