"""LOOP001: whether a backward pass adds to gradients that a step has used.

That confirms, where the parameters are those of the optimizer that steps, or the tensors are those that it
stepped with and another network still holds. Steps whose gradients were set to zero before the next backward pass refute.
"""

from rlvet_harness.ledger import Ledger, optimizer_at
from rlvet_harness.observe import parameters_of


class NoZeroGrad(Ledger):
    """Watches the step of an optimizer."""

    enough = 1
    needs = "backward passes after the step, for gradients that were set to zero"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.mine = set()
        self.kept = []  # gradients that a step has used, and what they were before the next backward pass
        self.due = set()  # parameters whose gradients a step has used, until the next backward pass

    def hit(self, hit):
        optimizer = optimizer_at(hit)
        if optimizer is None:
            self.unsure("which optimizer steps was not seen")
        else:
            self.mine.update(map(id, parameters_of(optimizer)))
            self.due.update(map(id, parameters_of(optimizer)))
            self.kept = [(p.grad, None) for p in parameters_of(optimizer) if p.grad is not None]

    def before(self):
        self.kept = [(g, g.detach().clone()) for g, _ in self.kept if bool(g.any())]
        return super().before()

    def after(self, before):
        super().after(before)
        if any(was is not None and not bool((g == was).all()) for g, was in self.kept):
            self.confirm("a backward pass added to gradients that a step had used")

    def computed(self, parameters):
        self.upheld(any(id(p) in self.due and not self.entry(p).used for p in parameters))
        self.due.difference_update(map(id, parameters))

    def added(self, parameters):
        if any(id(p) in self.mine for p in parameters):
            self.confirm("a backward pass added to gradients that a step had used")

    def holds(self):
        return "no backward pass added to gradients that a step had used"
