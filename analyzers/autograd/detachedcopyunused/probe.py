"""GRAD015: whether a gradient flows through the tensor that should be detached.

It confirms if a backward pass gives it a gradient that is not zero: the tensor that
detach() was called on went into a loss. If none does, the finding is refuted.
"""

from rlvet_harness import Probe


class DetachedCopyUnused(Probe):
    """Watches the call of detach()."""

    enough = 3

    def hit(self, hit):
        value = hit.part("receiver")
        if getattr(value, "requires_grad", False) and self.confirmed is None:
            self.at_backward(value, self.reached)

    def reached(self, gradient):
        if bool(gradient.any()):
            self.confirm("a backward pass gave a gradient to the tensor that should be detached", largest_gradient=float(gradient.abs().max()))

    def holds(self):
        return "the detached tensor got no gradient"
