"""DIST005: what the log-density is asked of.

In a policy that is squashed, draws beyond 1 show that the density is that of the draw. Confirmed if the log-density of some draw beyond
1 in size is used with a gradient, and the function around computes tanh of the same draw without subtracting anything from the density in
the flagged statement. Where something is subtracted the flagged expression is an operand, and the finding is not there.
"""

import sys

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class NoTanhCorrection(Probe):
    """Watches the log-density of a draw."""

    enough = 1
    needs = "what no run shows: whether a policy is squashed elsewhere is not seen"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.corrected = 0

    def hit(self, hit):
        torch = sys.modules["torch"]
        draw = hit.part("arg0", "value")
        if not is_tensor(draw) or not is_tensor(hit.value):
            return
        if hit.parts.get("receiver") is None:  # a difference is watched
            self.corrected += 1
            return
        squashed = torch.tanh(draw.detach())
        seen = [v for v in list(self.frame().f_locals.values()) if is_tensor(v) and v.shape == draw.shape and v.detach().abs().max() <= 1]
        near = any(bool(torch.isclose(v.detach(), squashed).all()) for v in seen)
        if near and hit.value.requires_grad and bool((draw.abs() > 1).any()):
            self.confirm("the density is that of draws beyond the range of tanh", largest=float(draw.detach().abs().max()))

    def end(self):
        self.unsure("no draw beyond 1 was seen beside its tanh")
