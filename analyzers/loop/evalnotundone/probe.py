"""LOOP013: whether a network that was switched to eval mode is trained in it.

A step of an optimizer that holds parameters of the network, while it is in eval mode, confirms, once a step was taken in training
mode before. Steps after it with all layers in training mode refute. Networks that are trained in eval mode from the beginning may be meant so.
"""

import collections

from rlvet_harness import Probe
from rlvet_harness.observe import parameters_of

MOST = 8  # networks that are watched, the last ones


class EvalNotUndone(Probe):
    """Watches the call of eval()."""

    enough = 2
    needs = "steps of an optimizer that holds the network, after eval(), with all its layers in training mode"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.networks, self.trained = collections.deque(maxlen=MOST), False

    def hit(self, hit):
        network = hit.part("receiver") if hit.part("receiver") is not None else hit.value
        if not any(network is n for n in self.networks):
            self.networks.append(network)

    def stepped(self, optimizer):
        if not self.networks:
            self.trained = True
            return
        held = {id(p) for p in parameters_of(optimizer)}
        stepped = [n for n in self.networks if any(id(p) in held for p in n.parameters())]
        for network in stepped:
            if network.training:
                continue
            if self.trained:
                self.confirm("an optimizer stepped while the network was in eval mode, and had stepped before in training mode")
            else:
                self.unsure("the network was trained in eval mode from the beginning, which may be meant")
        self.upheld(bool(stepped) and all(m.training for n in stepped for m in n.modules()))

    def holds(self):
        return "the network was back in training mode before it was trained"
