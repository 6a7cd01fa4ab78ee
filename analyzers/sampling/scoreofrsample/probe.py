"""DIST030: the derivative of a log-probability with respect to the mean of its distribution.

Confirmed if it is 0 although gradients flow to the mean and through the action. A derivative that is not 0 refutes.
"""

import sys

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class ScoreOfRsample(Probe):
    """Watches log_prob(action)."""

    enough = 1
    needs = "a distribution whose mean carries a gradient"
    deep = True

    def hit(self, hit):
        torch = sys.modules["torch"]
        mean = getattr(hit.parts.get("receiver"), "mean", None)
        if not is_tensor(mean) or not mean.requires_grad or not is_tensor(hit.value) or not hit.value.requires_grad or not torch.is_grad_enabled():
            return
        inner = hit.parts["receiver"]
        while hasattr(inner, "base_dist"):
            inner = inner.base_dist
        if not is_tensor(getattr(inner, "loc", None)) or not inner.loc.requires_grad:
            return
        found = torch.autograd.grad(hit.value.sum(), inner.loc, retain_graph=True, allow_unused=True)[0]
        largest = 0.0 if found is None else float(found.abs().max())
        self.show(largest_derivative=largest)
        if largest > 1e-4:
            self.upheld()
        elif getattr(hit.parts.get("arg0"), "requires_grad", False):
            self.confirm("the mean of the distribution gets no gradient", largest_derivative=largest)

    def holds(self):
        return "the mean of the distribution got a gradient"
