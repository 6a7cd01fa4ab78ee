"""DIST005: what the log-density is asked of, and where the slope of tanh is taken.

In a policy that is squashed, draws beyond 1 show that the density is that of the draw. Confirmed if the log-density of some draw beyond
1 in size is used with a gradient, and the function around computes tanh of the same draw without subtracting anything from the density in
the flagged statement. Where something is subtracted the flagged expression is an operand, and the finding is not there.

Where the correction itself is flagged: confirmed if its logarithm is of negative numbers, if it is the slope at what the function around made by a tanh
already, or if a sum adds the logarithm of the slope. What the function does not name is not seen.
"""

import sys

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class NoTanhCorrection(Probe):
    """Watches the log-density of a draw, or what corrects it."""

    enough = 1
    needs = "what no run shows: whether a policy is squashed elsewhere is not seen"

    def hit(self, hit):
        if hasattr(hit.parts.get("receiver"), "log_prob"):
            self.density(hit)
        elif "left" in hit.parts:
            self.total(hit)
        else:
            self.slope(hit)

    def density(self, hit):
        torch = sys.modules["torch"]
        draw = hit.part("arg0", "value")
        if not is_tensor(draw) or not is_tensor(hit.value):
            return
        squashed = torch.tanh(draw.detach())
        near = any(same(v, squashed) for v in self.locals() if v.abs().max() <= 1)
        if near and hit.value.requires_grad and bool((draw.abs() > 1).any()):
            self.confirm("the density is that of draws beyond the range of tanh", largest=float(draw.detach().abs().max()))

    def slope(self, hit):
        """Looks at log(1 - y**2), or softplus(-2 * u): y is to be tanh of the draw, u the draw."""
        torch = sys.modules["torch"]
        of = hit.argument(0, "input", "x")
        if not is_tensor(of):
            return
        of = of.detach()
        if bool((of < 0).any()) and bool(torch.isnan(hit.value).any()):
            self.confirm("the logarithm is of negative numbers", lowest=float(of.min()))
            return
        seen = self.locals()
        for v in seen:
            at_action = same(of, 1 - torch.tanh(v) ** 2) or same(of, -2 * v)
            if at_action and any(same(v, torch.tanh(u)) for u in seen if u is not v):
                self.confirm("the slope is taken at what tanh made already", largest=float(v.abs().max()))
                return

    def total(self, hit):
        """Looks at logp + log(1 - y**2)."""
        torch = sys.modules["torch"]
        left, right = hit.parts["left"], hit.parts.get("right")
        if not is_tensor(left) or not is_tensor(right) or not same(hit.value, left + right):
            return
        for v in self.locals():
            if v.abs().max() <= 1 and same(right, torch.log(1 - v**2 + 1e-6), 0.01):
                self.confirm("the logarithm of the slope is added", lowest=float(right.detach().min()))
                return

    def locals(self):
        return [v.detach() for v in list(self.frame().f_locals.values()) if is_tensor(v) and v.is_floating_point() and v.numel()]

    def end(self):
        self.unsure("no draw beyond 1 was seen beside its tanh")


def same(a, b, tolerance=1e-4):
    torch = sys.modules["torch"]
    return a.shape == b.shape and bool(torch.isclose(a.detach(), b.detach(), atol=tolerance).all())
