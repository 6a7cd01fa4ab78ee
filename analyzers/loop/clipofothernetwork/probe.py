"""LOOP007: whether the network that is clipped is one that the next step changes.

Gradients that the last backward pass did not change are clipped in vain; the next step of an optimizer that holds none of
them confirms.
"""

from rlvet_harness.ledger import Ledger
from rlvet_harness.observe import is_tensor, parameters_of


class ClipOfOtherNetwork(Ledger):
    """Watches the call that clips."""

    deep = True
    enough = 3

    def __init__(self, target, run):
        super().__init__(target, run)
        self.fresh, self.clipped = set(), set()

    def computed(self, parameters):
        self.fresh = {id(p) for p in parameters}

    def hit(self, hit):
        given = hit.part("parameters", "arg0")
        owner = hit.part("arg0_receiver", "parameters_receiver")
        if is_tensor(given):
            given = [given]
        elif not isinstance(given, (list, tuple)):
            given = owner.parameters() if hasattr(owner, "parameters") else []
        self.clipped = {id(p) for p in given}
        if not self.clipped:
            self.unsure("which parameters are clipped was not seen")

    def used(self, optimizer, fresh):
        held = {id(p) for p in parameters_of(optimizer)}
        if self.clipped and not self.clipped & (held | self.fresh) and self.fresh & held:
            self.confirm("the step used gradients of another network, which were not clipped")
        self.clipped = set()

    def holds(self):
        return "the step used what was clipped"
