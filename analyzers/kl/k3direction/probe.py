"""KL003: the difference in exp(d) - d - 1.

It confirms if gradients flow to what d is greater with, and none to what is subtracted: then d is the log-prob of the policy less that of the reference.
It confirms as well if exp(-d) - d - 1 is what was computed, and below 0, as no divergence is.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


def is_mixed(value, d):
    """Whether value is exp(-d) - d - 1, with both of one shape: k3 with one part turned round."""
    return is_tensor(d) and d.shape == value.shape and d.is_floating_point() and float(((-d).exp() - d - 1 - value).detach().abs().max()) < 1e-4


class K3Direction(Probe):
    """Watches exp(d) - d - 1."""

    enough = 1
    needs = "the difference, with gradients to one side of it alone"
    deep = True

    def hit(self, hit):
        value = hit.value
        if is_tensor(value) and value.numel() and float(value.detach().min()) < -1e-3 and any(is_mixed(value, d) for d in hit.parts.values()):
            self.confirm("the estimate is negative, which no divergence is", lowest=float(value.detach().min()))
            return
        for d in hit.parts.values():
            if not is_tensor(d) or not is_tensor(value) or d.shape != value.shape or d.grad_fn is None:
                continue
            made = d.grad_fn.next_functions
            if type(d.grad_fn).__name__ != "SubBackward0" or len(made) != 2 or float((d.exp() - d - 1 - value).abs().max()) > 1e-4:
                continue
            if made[0][0] is not None and made[1][0] is None:
                self.confirm("the ratio is that of the policy to the reference", largest=float(d.detach().max()))
            elif made[0][0] is None and made[1][0] is not None:
                self.upheld()
            return

    def holds(self):
        return "the ratio was that of the reference to the policy"
