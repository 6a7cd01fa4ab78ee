"""LOOP001: whether a step uses gradients that an earlier step has used, and a backward pass has added to.

That confirms, where the parameters are those of the optimizer that steps, or the tensors are those that it
stepped with and another network still holds. What is added and set to zero before the next step does no harm: the loss of an actor
reaches the critic. Steps whose gradients were set to zero before the next backward pass, or before the next step, refute.
"""

from rlvet_harness.ledger import Ledger, optimizer_at
from rlvet_harness.observe import parameters_of


class NoZeroGrad(Ledger):
    """Watches the step of an optimizer."""

    enough = 1
    needs = "a later step of the optimizer, with gradients that were set to zero"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.mine = set()
        self.stepped_once = set()
        self.stale = set()  # parameters whose gradients a step has used and a backward pass has added to since
        self.kept = []  # gradients that a step has used, and what they were before the next backward pass
        self.grown = []  # those of them that a backward pass has added to since

    def hit(self, hit):
        optimizer = optimizer_at(hit)
        if optimizer is None:
            self.unsure("which optimizer steps was not seen")
            return
        gradients = [p.grad for p in parameters_of(optimizer) if p.grad is not None]
        if any(g is old for g in gradients for old in self.grown):
            self.confirm(CONFIRMED)
        self.mine.update(map(id, parameters_of(optimizer)))
        self.kept = [(g, None) for g in gradients]

    def before(self):
        self.kept = [(g, g.detach().clone()) for g, _ in self.kept if bool(g.any())]
        self.grown = [g for g in self.grown if bool(g.any())]
        return super().before()

    def after(self, before):
        super().after(before)
        self.grown += [g for g, was in self.kept if was is not None and not bool((g == was).all())]

    def added(self, parameters):
        self.stale.update(map(id, parameters))

    def cleared(self, parameters):
        self.stale.difference_update(map(id, parameters))

    def used(self, optimizer, fresh):
        held = set(map(id, parameters_of(optimizer)))
        if not held & self.mine:
            return
        if held & self.stale:
            self.confirm(CONFIRMED)
        elif held & self.stepped_once:
            self.upheld(bool(fresh))
        self.stepped_once |= held

    def holds(self):
        return "no step used gradients that an earlier step had used"


CONFIRMED = "a backward pass added to gradients that a step had used, and the next step used the sum"
