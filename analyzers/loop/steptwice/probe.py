"""LOOP029: whether an optimizer steps with gradients that a step has used, and that no backward pass has changed since."""

from rlvet_harness.ledger import Ledger, optimizer_at


class StepTwice(Ledger):
    """Watches the step."""

    enough = 3

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last = {}  # of each optimizer's last step: gradients that were new, and all that there were

    def used(self, optimizer, fresh):
        held = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        self.last[id(optimizer)] = (len(fresh), len(held))

    def hit(self, hit):
        fresh, held = self.last.get(id(optimizer_at(hit)), (1, 1))
        if held and not fresh:
            self.confirm("a step had used the same gradients before")

    def holds(self):
        return "each step had new gradients"
