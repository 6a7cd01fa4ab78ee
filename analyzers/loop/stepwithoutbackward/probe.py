"""LOOP030: whether the optimizer that steps has any gradients. None, or zeros alone, confirm."""

from rlvet_harness.ledger import Ledger, optimizer_at
from rlvet_harness.observe import is_gone, parameters_of


class StepWithoutBackward(Ledger):
    """Watches the step."""

    enough = 3
    needs = "gradients of backward passes that no step had used before"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.fresh = {}  # by optimizer: how many gradients its last step had that were new

    def used(self, optimizer, fresh):
        self.fresh[id(optimizer)] = len(fresh)

    def hit(self, hit):
        optimizer = optimizer_at(hit)
        if optimizer is None:
            self.unsure("which optimizer steps was not seen")
        elif all(map(is_gone, parameters_of(optimizer))):
            self.confirm("the optimizer stepped without gradients")
        else:
            self.upheld(self.fresh.get(id(optimizer), 0) > 0)

    def holds(self):
        return "there were gradients to use"
