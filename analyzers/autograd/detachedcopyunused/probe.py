"""GRAD015: whether a gradient flows through what was to be detached.

A backward that brings it a gradient that is not zero confirms: the value that detach()
was called on went on into a loss. Where none does, the finding is refuted.
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
            self.confirm("a backward brought a gradient to what was to be detached", largest_gradient=float(gradient.abs().max()))

    def holds(self):
        return "no gradient came to what was detached"
