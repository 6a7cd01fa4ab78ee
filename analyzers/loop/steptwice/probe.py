"""LOOP029: whether an optimizer steps with gradients that a step has used, and that no backward pass has changed since."""

from rlvet_harness.ledger import Ledger, optimizer_at


class StepTwice(Ledger):
    """Watches the step."""

    enough = 3
    needs = "steps of an optimizer of torch, after backward passes"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last = {}  # of each optimizer's last step: gradients that were new, and all of backward passes

    def used(self, optimizer, fresh):
        held = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        self.last[id(optimizer)] = (len(fresh), sum(self.entry(p).passes > 0 for p in held))

    def hit(self, hit):
        fresh, held = self.last.get(id(optimizer_at(hit)), (0, 0))
        if held and not fresh:
            self.confirm("a step had used the same gradients before")
        self.upheld(fresh > 0)

    def holds(self):
        return "each step had new gradients"
