"""LOOP020: the parameters of the new layer, over the optimizer's steps.

It confirms if they get gradients, never change, and no optimizer holds them. A change
refutes.
"""

from rlvet_harness import Probe


class ParamsReplacedAfterOptimizer(Probe):
    """Watches the layer or parameter that is put into the network."""

    enough = 1
    needs = "steps that change the new parameters"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.parameters = []  # with their first values
        self.steps = self.with_gradient = 0

    def hit(self, hit):
        value = hit.value
        found = list(value.parameters()) if hasattr(value, "parameters") else [value] if hasattr(value, "grad") else []
        if not found:
            self.unsure("the new layer has no parameters")
        self.parameters = [(p, p.detach().clone()) for p in found]
        self.steps = self.with_gradient = 0

    def stepped(self, optimizer):
        if self.parameters and self.confirmed is None:
            self.steps += 1
            self.with_gradient += any(p.grad is not None and bool(p.grad.abs().sum() > 0) for p, _ in self.parameters)

    def changed(self):
        return any(not bool((p.detach().to(before.device) == before).all()) for p, before in self.parameters)

    def end(self):
        if not self.with_gradient:
            self.unsure("it had no gradient at any optimizer step")
        elif self.changed():
            self.upheld()
        else:
            if any(self.run.owns(p) for p, _ in self.parameters):
                self.unsure("an optimizer holds it but has not changed it yet")
            else:
                self.confirm("it has gradients, but no optimizer step changed it", steps=self.steps, steps_with_gradient=self.with_gradient)

    def holds(self):
        return "optimizer steps changed it"
