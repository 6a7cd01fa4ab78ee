"""LOOP013: whether a network that was switched to eval mode is trained in it.

A step of an optimizer that holds parameters of the network, while it is in eval mode, confirms, once a step was taken in training
mode before. Steps after it in training mode refute. Networks that are trained in eval mode from the beginning may be meant so.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import parameters_of


class EvalNotUndone(Probe):
    """Watches the call of eval()."""

    enough = 2
    needs = "steps of an optimizer that holds the network, after eval()"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.network, self.trained = None, False

    def hit(self, hit):
        self.network = hit.part("receiver") if hit.part("receiver") is not None else hit.value

    def stepped(self, optimizer):
        if self.network is None:
            self.trained = True
            return
        held = {id(p) for p in parameters_of(optimizer)}
        if not any(id(p) in held for p in self.network.parameters()):
            return
        if self.network.training:
            self.upheld()
        elif self.trained:
            self.confirm("an optimizer stepped while the network was in eval mode, and had stepped before in training mode")
        else:
            self.unsure("the network was trained in eval mode from the beginning, which may be meant")

    def holds(self):
        return "the network was back in training mode before it was trained"
