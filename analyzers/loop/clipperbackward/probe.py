"""LOOP005: whether a backward pass adds to gradients that were clipped, before a step uses them."""

from rlvet_harness.ledger import Ledger, clipped_at


class ClipPerBackward(Ledger):
    """Watches the call that clips."""

    deep = True
    enough = 3
    needs = "gradients that were clipped, and then used by a step or set to zero"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.clipped = set()

    def hit(self, hit):
        self.clipped = {id(p) for p in clipped_at(self, hit) if p.grad is not None and bool(p.grad.any())}

    def computed(self, parameters):
        if any(id(p) in self.clipped and self.entry(p).passes > 1 and not self.entry(p).used for p in parameters):
            self.confirm("a backward pass added to gradients that were clipped, and no step had used them")
        self.clipped = set()

    def used(self, optimizer, fresh):
        self.leave(fresh)

    def thrown(self, parameters):
        self.leave(parameters)

    def leave(self, parameters):
        """Counts a clip once all that it clipped is used or gone: another backward pass may add to the rest."""
        left = self.clipped - {id(p) for p in parameters}
        self.upheld(bool(self.clipped) and not left)
        self.clipped = left

    def holds(self):
        return "what was clipped was used, or set to zero"
