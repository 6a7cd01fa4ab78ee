"""LOOP006: whether the gradients that are clipped still bear the scale.

What a step uses is compared with what the clip left: gradients that were divided in between confirm.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class ClipBeforeUnscale(Probe):
    """Watches the call that clips."""

    deep = True
    enough = 2

    def __init__(self, target, run):
        super().__init__(target, run)
        self.clipped, self.norm = [], 0.0

    def hit(self, hit):
        given = hit.part("parameters", "arg0")
        owner = hit.part("arg0_receiver", "parameters_receiver")
        if is_tensor(given):
            given = [given]
        elif not isinstance(given, (list, tuple)):
            given = list(owner.parameters()) if hasattr(owner, "parameters") else []
        self.clipped = [p for p in given if p.grad is not None]
        self.norm = self.measure()
        if not self.clipped:
            self.unsure("which parameters are clipped was not seen")

    def measure(self):
        return float(sum(float(p.grad.detach().pow(2).sum()) for p in self.clipped if p.grad is not None)) ** 0.5

    def stepped(self, optimizer):
        now = self.measure()
        if self.clipped and self.norm > 0 and now < 0.5 * self.norm:
            self.confirm("the clip bounded gradients that were then divided by %.6g" % (self.norm / max(now, 1e-30)))
        self.clipped = []

    def holds(self):
        return "the step used the gradients as the clip left them"
