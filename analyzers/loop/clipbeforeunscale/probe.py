"""LOOP006: whether the gradients that are clipped still bear the scale.

What a step uses is compared with what the clip left: gradients that were divided in between confirm. Gradients that were
divided between the backward pass and the clip, and are then used as they are, refute.
"""

from rlvet_harness.ledger import Ledger, clipped_at


class ClipBeforeUnscale(Ledger):
    """Watches the call that clips."""

    deep = True
    enough = 2
    needs = "gradients that are divided after their backward pass, and a step"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.clipped, self.norm = [], 0.0
        self.computed_norms = {}  # by parameter, after the last backward pass
        self.unscaled = False

    def computed(self, parameters):
        self.computed_norms = {id(p): float(p.grad.detach().double().norm()) for p in self.parameters() if p.grad is not None}

    def hit(self, hit):
        self.clipped = [p for p in clipped_at(self, hit) if p.grad is not None]
        self.norm = self.measure()
        if not self.clipped:
            self.unsure("which parameters are clipped was not seen")
        computed = sum(self.computed_norms.get(id(p), 0.0) ** 2 for p in self.clipped) ** 0.5
        self.unscaled = hasattr(hit.value, "item") and computed > 2 * float(hit.value) > 0

    def measure(self):
        return float(sum(float(p.grad.detach().pow(2).sum()) for p in self.clipped if p.grad is not None)) ** 0.5

    def used(self, optimizer, fresh):
        now = self.measure()
        if self.clipped and self.norm > 0 and now < 0.5 * self.norm:
            self.confirm("the clip bounded gradients that were then divided by %.6g" % (self.norm / max(now, 1e-30)))
        elif self.clipped and self.unscaled:
            self.upheld()
        self.clipped = []

    def holds(self):
        return "the step used the gradients as the clip left them"
