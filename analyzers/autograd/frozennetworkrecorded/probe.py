"""GRAD022: what a network that nothing trains yields; it confirms if a backward brings that a gradient."""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class FrozenNetworkRecorded(Probe):
    """Watches an evaluation of the network."""

    enough = 3

    def hit(self, hit):
        values = hit.value if isinstance(hit.value, (tuple, list)) else [hit.value]
        tensors = [v for v in values if is_tensor(v)]
        if not tensors:
            self.unsure("the network yields no tensor")
        for value in tensors:
            if value.requires_grad:
                self.at_backward(value, self.reached)

    def reached(self, gradient):
        self.confirm("backward computes gradients through a network that is not trained", elements=gradient.numel())

    def holds(self):
        return "no backward reached the network"
