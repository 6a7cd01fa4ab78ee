"""LOOP020: the parameters of the new layers, over the optimizer's steps.

It confirms if they get gradients, never change, and no optimizer holds one that does. Changes of all that get gradients, each held by an
optimizer, refute.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import parameters_of, same_numbers

MOST = 4096  # parameters that are kept


class ParamsReplacedAfterOptimizer(Probe):
    """Watches the layer or parameter that is put into the network."""

    enough = 1
    needs = "steps that change all new parameters with gradients, which optimizers hold"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.parameters = []  # of each layer that was put in, with their first values
        self.used = {}  # steps at which a parameter had a gradient, by its id
        self.held = set()  # ids of those that an optimizer held at its step

    def hit(self, hit):
        value = hit.value
        found = list(value.parameters()) if hasattr(value, "parameters") else [value] if hasattr(value, "grad") else []
        if not found:
            self.unsure("the new layer has no parameters")
        if len(self.parameters) < MOST:
            self.parameters += [(p, p.detach().clone()) for p in found]

    def stepped(self, optimizer):
        mine = set(map(id, parameters_of(optimizer))) if self.parameters else ()
        for p, _ in self.parameters:
            if id(p) in mine:
                self.held.add(id(p))
            if p.grad is not None and bool(p.grad.abs().sum() > 0):
                self.used[id(p)] = self.used.get(id(p), 0) + 1

    def end(self):
        used = [(p, before) for p, before in self.parameters if id(p) in self.used]
        still = [p for p, before in used if same_numbers(p, before)]
        loose = [p for p, _ in used if id(p) not in self.held]
        if not used:
            self.unsure("it had no gradient at any optimizer step")
        elif still and len(still) == len(used) == len(loose):
            self.confirm("it has gradients, but no optimizer step changed it", steps=self.run.steps, steps_with_gradient=max(self.used.values()))
        elif still and len(still) == len(used):
            self.unsure("an optimizer holds it but has not changed it yet")
        elif still or loose:
            self.unsure("of its %d parameters with gradients %d never changed, and no optimizer holds %d" % (len(used), len(still), len(loose)))
        else:
            self.upheld()

    def holds(self):
        return "optimizer steps changed it"
