"""LOOP006: whether the gradients that are clipped still bear the scale.

What a step uses is compared with what the clip left: gradients that were divided in between confirm. Gradients that were
divided between the backward pass and the clip, and are then used as they are, refute.
"""

from rlvet_harness.ledger import Ledger, clipped_at
from rlvet_harness.observe import parameters_of


class ClipBeforeUnscale(Ledger):
    """Watches the call that clips."""

    deep = True
    enough = 2
    needs = "gradients that are divided after their backward pass, and a step"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.clipped, self.norms = [], {}
        self.computed_norms = {}  # by parameter, after the last backward pass
        self.unscaled = False

    def computed(self, parameters):
        self.computed_norms = {id(p): float(p.grad.detach().double().norm()) for p in self.parameters() if p.grad is not None}

    def hit(self, hit):
        self.clipped = [p for p in clipped_at(self, hit) if p.grad is not None]
        self.norms = {id(p): float(p.grad.detach().norm()) for p in self.clipped}
        if not self.clipped:
            self.unsure("which parameters are clipped was not seen")
        computed = sum(self.computed_norms.get(id(p), 0.0) ** 2 for p in self.clipped) ** 0.5
        self.unscaled = hasattr(hit.value, "item") and computed > 2 * float(hit.value) > 0

    def used(self, optimizer, fresh):
        held = {id(p) for p in parameters_of(optimizer)}
        stepped = [p for p in self.clipped if id(p) in held]
        norm = sum(self.norms[id(p)] ** 2 for p in stepped) ** 0.5
        now = sum(float(p.grad.detach().norm()) ** 2 for p in stepped if p.grad is not None) ** 0.5
        if norm > 0 and now < 0.5 * norm:
            self.confirm("the clip bounded gradients that were then divided by %.6g" % (norm / max(now, 1e-30)))
        self.clipped = [p for p in self.clipped if id(p) not in held]
        if stepped and not self.clipped and self.unscaled:  # of several optimizers, the last that holds what was clipped
            self.upheld()

    def holds(self):
        return "the step used the gradients as the clip left them"
