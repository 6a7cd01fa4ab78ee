"""LOOP020: the parameters of what is put into the network, over the optimizer's steps.

Gradients without any change, while no optimizer holds the parameters, confirm: the new
layer is asked to learn and does not. A change refutes.
"""

from rlvet_harness import Probe


class ParamsReplacedAfterOptimizer(Probe):
    """Watches the layer or parameter that is put in."""

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.parameters = []  # with their numbers at first
        self.steps = self.with_gradient = 0

    def hit(self, hit):
        value = hit.value
        found = list(value.parameters()) if hasattr(value, "parameters") else [value] if hasattr(value, "grad") else []
        if not found:
            self.unsure("what is put in has no parameters")
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
            self.unsure("no gradient reached it before an optimizer's step")
        elif not self.changed():
            if any(self.run.owns(p) for p, _ in self.parameters):
                self.unsure("an optimizer holds it, and has not changed it yet")
            else:
                self.confirm("it has gradients, and no step of an optimizer changed it", steps=self.steps, steps_with_gradient=self.with_gradient)

    def holds(self):
        return "optimizer steps changed it"
