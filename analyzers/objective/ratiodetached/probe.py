"""OBJ004: checks whether the policy gets a gradient although the ratio is detached.

The parameters from which the ratio was computed, before it was detached, are watched.
Confirmed if a backward pass brings a gradient to none of them. Refuted if the ratio carries
gradients. Inconclusive if the parameters get gradients by another path, such as an entropy
bonus or a shared trunk.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import leaves

MOST = 16  # values that are followed to a backward pass


class RatioDetached(Probe):
    """Watches the detached value."""

    enough = 5
    needs = "a ratio that carries gradients"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.cut = 0

    def hit(self, hit):
        if getattr(hit.value, "requires_grad", False):
            self.upheld()
            return
        source = next((p for p in (hit.part(n) for n in ("receiver", "value", "arg0")) if getattr(p, "requires_grad", False)), None)
        if source is None:
            self.unsure("there was no gradient to detach")
            return
        self.cut += 1
        if self.confirmed is None and self.cut <= MOST:
            self.follow(list(leaves(source.grad_fn)))

    def follow(self, leaves):
        """Checks the next backward pass for gradients of the leaves."""
        reached = []
        hooks = [leaf.register_hook(lambda gradient: reached.append(bool(gradient.any()))) for leaf in leaves]

        def over():
            for hook in hooks:
                hook.remove()
            self.show(parameters=len(leaves), with_gradient=sum(reached))
            if any(reached):
                self.unsure("the policy gets gradients by another path than the ratio")
            elif leaves:
                self.confirm("a backward pass brought no gradient to any parameter behind the ratio", parameters=len(leaves))

        self.run.after_backward.append(over)

    def end(self):
        if self.cut:
            self.unsure("the ratio was detached, and no backward pass followed")

    def holds(self):
        return "the ratio carried gradients"
