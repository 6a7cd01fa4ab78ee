"""LOOP025: whether a loss reaches parameters that no optimizer holds, while two optimizers hold the same.

Both together confirm. Losses that reach no parameter but those that optimizers hold refute; of a network that is in no optimizer, while no
two hold the same, it is not known whether it is left out on purpose.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import leaves
from rlvet_harness.observe import is_tensor, parameters_of


class NetworkWithoutOptimizer(Probe):
    """Watches the expression that builds an optimizer."""

    enough = 1
    needs = "backward passes that reach parameters"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.twin = self.left = False

    def imported(self, torch):
        backward, probe = torch.autograd.backward, self

        def watched(tensors, *args, **kwargs):
            probe.guarded(probe.reaches, tensors, torch.nn.Parameter)
            return backward(tensors, *args, **kwargs)

        torch.autograd.backward = watched

    def hit(self, hit):
        held = set(map(id, parameters_of(hit.value)))
        self.twin = self.twin or any(o is not hit.value and set(map(id, parameters_of(o))) == held for o in list(self.run.optimizers))

    def reaches(self, loss, parameter):
        if not self.hits or not is_tensor(loss) or loss.grad_fn is None:
            return
        reached = [leaf for leaf in leaves(loss.grad_fn) if isinstance(leaf, parameter)]
        left = [p for p in reached if not self.run.owns(p)]
        if left and self.twin:
            self.confirm("a loss reached parameters that no optimizer holds, and another optimizer holds the same as this one")
        self.left = self.left or bool(left)
        self.upheld(bool(reached) and not left)

    def end(self):
        if self.left:
            self.unsure("a loss reached parameters that no optimizer holds, which may be meant")

    def holds(self):
        return "no other optimizer held its parameters, and losses reached none that no optimizer holds"
