"""LOOP028: whether each forward pass makes another layer.

Two objects with different weights confirm, where no optimizer has the weights of the first. One layer that comes again, and
weights that an optimizer has, refute.
"""

import weakref

from rlvet_harness import Probe
from rlvet_harness.observe import parameters_of, same_numbers


class LayerMadeInForward(Probe):
    """Watches the call that makes the layer."""

    enough = 3
    needs = "a layer that comes again, or whose weights an optimizer has"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.first = self.last = None

    def hit(self, hit):
        weights = list(hit.value.parameters()) if hasattr(hit.value, "parameters") else []
        if not weights:
            self.unsure("what was made has no weights")
            return
        held = {id(p) for o in self.run.optimizers for p in parameters_of(o)}
        if any(id(p) in held for p in weights):
            self.upheld()
            return
        self.upheld(self.last is not None and self.last() is hit.value)
        self.last = weakref.ref(hit.value)
        if self.first is None:
            self.first = [p.detach().clone() for p in weights]
        elif any(not same_numbers(a, b) for a, b in zip(self.first, weights)):
            self.confirm("the weights are other ones than in the pass before, and no optimizer has them")

    def holds(self):
        return "the weights stayed the same, or an optimizer had them"
