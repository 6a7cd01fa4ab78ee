"""LOOP030: whether the optimizer that steps has any gradients. None, or zeros alone, confirm."""

from rlvet_harness import Probe
from rlvet_harness.ledger import optimizer_at
from rlvet_harness.observe import parameters_of


class StepWithoutBackward(Probe):
    """Watches the step."""

    enough = 3

    def hit(self, hit):
        optimizer = optimizer_at(hit)
        if optimizer is None:
            self.unsure("which optimizer steps was not seen")
        elif all(p.grad is None or not bool(p.grad.any()) for p in parameters_of(optimizer)):
            self.confirm("the optimizer stepped without gradients")

    def holds(self):
        return "there were gradients to use"
