"""GRAD022: what a network that nothing trains yields.

It confirms if a backward brings that a gradient. What carries none, and backward passes that bring it none, refute.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class FrozenNetworkRecorded(Probe):
    """Watches an evaluation of the network."""

    enough = 3
    needs = "an output without gradients, or a backward pass after it"

    def hit(self, hit):
        values = hit.value if isinstance(hit.value, (tuple, list)) else [hit.value]
        if not values or not all(map(is_tensor, values)):
            self.unsure("the network yields something else than tensors")
            return
        found = [v for v in values if v.requires_grad]
        for value in found:
            self.at_backward(value, self.reached)
        if found:
            self.run.after_backward.append(self.upheld)
        else:
            self.upheld()

    def reached(self, gradient):
        self.confirm("backward computes gradients through a network that is not trained", elements=gradient.numel())

    def holds(self):
        return "no backward reached the network"
