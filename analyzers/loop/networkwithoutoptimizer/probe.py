"""LOOP025: whether a loss reaches parameters that no optimizer holds, while two optimizers hold the same.

Both together confirm; parameters of its own refute.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import leaves
from rlvet_harness.observe import is_tensor, parameters_of


class NetworkWithoutOptimizer(Probe):
    """Watches the expression that builds an optimizer."""

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.twin = False

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
        if self.twin and is_tensor(loss) and loss.grad_fn is not None:
            if any(isinstance(leaf, parameter) and not self.run.owns(leaf) for leaf in leaves(loss.grad_fn)):
                self.confirm("a loss reached parameters that no optimizer holds, and another optimizer holds the same as this one")

    def holds(self):
        return "no other optimizer held its parameters"
