"""GRAD003: whether the loss is a leaf.

It confirms if the loss is given a gradient although it has no graph, and the backward pass
reaches no parameter of an optimizer. A value with a graph refutes.
"""

from rlvet_harness import Probe


class RequiresGradHack(Probe):
    """Watches the loss that becomes a leaf."""

    enough = 3
    needs = "a loss with a graph"
    leaf = False

    def hit(self, hit):
        values = [hit.part("value", "receiver"), hit.value]
        value = next((v for v in values if hasattr(v, "grad_fn")), None)
        if value is None:
            self.unsure("it is not a tensor")
        elif value.grad_fn is None and not self.run.owns(value):
            self.leaf = True
            if self.confirmed is None:
                self.follow()
        else:
            self.upheld(value.grad_fn is not None)

    def follow(self):
        """Checks whether the next backward pass reaches a parameter of an optimizer."""
        reached = []
        parameters = [p for o in self.run.optimizers for g in o.param_groups for p in g["params"] if p.requires_grad]
        hooks = [p.register_hook(reached.append) for p in parameters]

        def over():
            for hook in hooks:
                hook.remove()
            if reached or not parameters:
                self.unsure("the backward pass reached parameters in another way" if reached else "no optimizer holds parameters")
            else:
                self.confirm("it had no graph, and the backward pass reached no parameter", parameters=len(parameters))

        self.run.after_backward.append(over)

    def end(self):
        if self.leaf:
            self.unsure("it had no graph, and no backward pass followed")

    def holds(self):
        return "it had a graph"
