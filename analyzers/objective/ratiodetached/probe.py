"""OBJ004: whether the policy gets a gradient although the ratio is cut off.

The parameters that the ratio was made of, before it was detached, are watched: a backward
that brings none of them a gradient confirms. A ratio that carries gradients refutes. Where
the parameters get gradients by another way, such as an entropy bonus or a shared trunk,
the run does not tell.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import leaves

MOST = 16  # values that are followed to a backward


class RatioDetached(Probe):
    """Watches the detached value."""

    enough = 5

    def __init__(self, target, run):
        super().__init__(target, run)
        self.cut = 0

    def hit(self, hit):
        if getattr(hit.value, "requires_grad", False):
            return
        source = next((p for p in (hit.part(n) for n in ("receiver", "value", "arg0")) if getattr(p, "requires_grad", False)), None)
        if source is None:
            self.unsure("there was no gradient to cut off")
            return
        self.cut += 1
        if self.confirmed is None and self.cut <= MOST:
            self.follow(list(leaves(source.grad_fn)))

    def follow(self, leaves):
        """Looks at the next backward for gradients of the leaves."""
        reached = []
        hooks = [leaf.register_hook(lambda gradient: reached.append(bool(gradient.any()))) for leaf in leaves]

        def over():
            for hook in hooks:
                hook.remove()
            self.show(parameters=len(leaves), with_gradient=sum(reached))
            if any(reached):
                self.unsure("the policy gets gradients by another way than the ratio")
            elif leaves:
                self.confirm("a backward brought no gradient to any of the parameters that the ratio is made of", parameters=len(leaves))

        self.run.after_backward.append(over)

    def end(self):
        if self.cut:
            self.unsure("the ratio was cut off, and no backward followed")

    def holds(self):
        return "the ratio carried gradients"
