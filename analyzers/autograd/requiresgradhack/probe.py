"""GRAD003: whether the loss is a leaf.

A loss that is given a gradient although it has no graph, and a backward that changes no
parameter of an optimizer, confirm. A value with a graph behind it refutes.
"""

from rlvet_harness import Probe


class RequiresGradHack(Probe):
    """Watches the loss that is made a leaf."""

    enough = 3
    leaf = False

    def hit(self, hit):
        values = [hit.part("value", "receiver"), hit.value]
        value = next((v for v in values if hasattr(v, "grad_fn")), None)
        if value is None:
            self.unsure("it is no tensor")
        elif value.grad_fn is None and not self.run.owns(value):
            self.leaf = True
            if self.confirmed is None:
                self.follow()

    def follow(self):
        """Looks whether the next backward reaches what an optimizer holds."""
        reached = []
        parameters = [p for o in self.run.optimizers for g in o.param_groups for p in g["params"] if p.requires_grad]
        hooks = [p.register_hook(reached.append) for p in parameters]

        def over():
            for hook in hooks:
                hook.remove()
            if reached:
                self.unsure("the backward reached parameters by another way")
            else:
                self.confirm("it had no graph behind it, and the backward reached no parameter", parameters=len(parameters))

        self.run.after_backward.append(over)

    def end(self):
        if self.leaf:
            self.unsure("it had no graph behind it, and no backward followed")

    def holds(self):
        return "it had a graph behind it"
