"""LOOP031: whether layers in a list or dict are in no optimizer, though they are applied.

It confirms when the program has stepped and no optimizer holds any of their parameters, and refutes when one holds them all.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import parameters_of


class LayersInPlainList(Probe):
    """Watches the list."""

    enough = 1
    needs = "layers with weights, and a step of an optimizer"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.lists = []

    def hit(self, hit):
        self.lists.append(hit.value)

    def stepped(self, optimizer):
        held = {id(p) for o in self.run.optimizers for p in parameters_of(o)}
        for kept in self.lists:
            own = [p for layer in layers_in(kept) for p in layer.parameters()]
            if own and not any(id(p) in held for p in own):
                self.confirm("no optimizer has any of the %d parameters" % len(own))
            elif not all(id(p) in held for p in own):
                self.unsure("optimizers have some of the parameters only")
            else:
                self.upheld(bool(own))

    def holds(self):
        return "an optimizer has the parameters"


def layers_in(value):
    """Returns the layers in a list or dict, and in what it holds."""
    if hasattr(value, "parameters"):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [layer for part in value for layer in layers_in(part)] if isinstance(value, (list, tuple)) else []
