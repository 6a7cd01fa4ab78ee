"""LOOP021: whether a step finds the gradients that were computed for it gone.

Gradients that the flagged call threw away unused, and a step of their optimizer before others are computed, confirm.
"""

from rlvet_harness.ledger import Ledger


class ZeroedBeforeStep(Ledger):
    """Watches zero_grad()."""

    enough = 3
    needs = "a step after it, with gradients of a backward pass"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.gone, self.here = set(), False
        self.waiting = False  # for the first step after the call

    def hit(self, hit):
        self.here = True
        self.settle()
        self.here, self.waiting = False, True

    def thrown(self, parameters):
        if self.here:
            self.gone.update(map(id, parameters))

    def computed(self, parameters):
        self.gone.difference_update(map(id, parameters))

    def used(self, optimizer, fresh):
        mine = [p for g in optimizer.param_groups for p in g["params"]]
        if not fresh and any(id(p) in self.gone for p in mine):
            self.confirm("the gradients were thrown away unused, and the optimizer stepped without any")
        self.upheld(self.waiting and bool(fresh))
        self.waiting = False

    def holds(self):
        return "the steps that followed had gradients to use"
