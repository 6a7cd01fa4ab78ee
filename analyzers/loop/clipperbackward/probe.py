"""LOOP005: whether a backward pass adds to gradients that were clipped, before a step uses them."""

from rlvet_harness.ledger import Ledger
from rlvet_harness.observe import is_tensor


class ClipPerBackward(Ledger):
    """Watches the call that clips."""

    deep = True
    enough = 3

    def __init__(self, target, run):
        super().__init__(target, run)
        self.clipped = set()

    def hit(self, hit):
        given = hit.part("parameters", "arg0")
        owner = hit.part("arg0_receiver", "parameters_receiver")
        if is_tensor(given):
            given = [given]
        elif not isinstance(given, (list, tuple)):
            given = owner.parameters() if hasattr(owner, "parameters") else []
        self.clipped = {id(p) for p in given if p.grad is not None and bool(p.grad.any())}

    def computed(self, parameters):
        if any(id(p) in self.clipped and self.entry(p).passes > 1 and not self.entry(p).used for p in parameters):
            self.confirm("a backward pass added to gradients that were clipped, and no step had used them")
        self.clipped = set()

    def used(self, optimizer, fresh):
        self.clipped = set()

    def thrown(self, parameters):
        self.clipped -= {id(p) for p in parameters}

    def holds(self):
        return "what was clipped was used, or set to zero"
