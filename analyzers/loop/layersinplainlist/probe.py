"""LOOP031: whether layers in a list or dict are in no optimizer, though they are applied.

It confirms when the program has stepped and no optimizer holds any of their parameters.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import parameters_of


class LayersInPlainList(Probe):
    """Watches the list."""

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.lists = []

    def hit(self, hit):
        self.lists.append(hit.value)

    def stepped(self, optimizer):
        held = {id(p) for o in self.run.optimizers for p in parameters_of(o)}
        for kept in self.lists:
            layers = list(kept.values()) if isinstance(kept, dict) else list(kept)
            own = [p for layer in layers if hasattr(layer, "parameters") for p in layer.parameters()]
            if own and not any(id(p) in held for p in own):
                self.confirm("no optimizer has any of the %d parameters" % len(own))

    def holds(self):
        return "an optimizer has the parameters"
