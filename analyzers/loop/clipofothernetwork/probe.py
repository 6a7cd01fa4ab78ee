"""LOOP007: whether the network that is clipped is one that the next step changes.

Gradients that the last backward pass did not change are clipped in vain; the next step of an optimizer that holds none of
them confirms. Steps that use what was clipped refute.
"""

from rlvet_harness.ledger import Ledger, clipped_at
from rlvet_harness.observe import parameters_of


class ClipOfOtherNetwork(Ledger):
    """Watches the call that clips."""

    deep = True
    enough = 3
    needs = "a step of an optimizer that uses gradients of a backward pass"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.fresh, self.clipped = set(), set()
        self.others = False  # whether a step used gradients of the same pass that were not clipped then

    def computed(self, parameters):
        self.fresh = {id(p) for p in parameters}

    def hit(self, hit):
        self.clipped = {id(p) for p in clipped_at(self, hit)}
        if not self.clipped:
            self.unsure("which parameters are clipped was not seen")

    def used(self, optimizer, fresh):
        held = {id(p) for p in parameters_of(optimizer)}
        if self.clipped & held:
            self.upheld(bool(self.clipped & {id(p) for p in fresh}))
            self.clipped = set()
        elif self.clipped and self.fresh & held and not self.clipped & self.fresh:
            self.confirm("the step used gradients of another network, which were not clipped")
            self.clipped = set()
        elif self.clipped and self.fresh & held:
            self.others = True

    def end(self):
        if self.others:
            self.unsure("a step used gradients of the same backward pass that were not clipped")

    def holds(self):
        return "the step used what was clipped"
