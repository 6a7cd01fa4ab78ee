"""GRAD013: whether the loss carries a gradient.

It confirms if the value has no gradient and backward() is then called on a loss without
one. A value that carries gradients refutes.
"""

from rlvet_harness import Probe
from rlvet_harness.gradients import with_gradient


class NoGradAroundUpdate(Probe):
    """Watches the output of the network."""

    enough = 3
    needs = "an output that carries gradients"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.gradless = None  # losses without a gradient before the first evaluation without one

    def hit(self, hit):
        if with_gradient(hit.value):
            self.upheld()
        elif self.gradless is None:
            self.gradless = self.run.gradless

    def end(self):
        if self.gradless is None:
            return
        if self.run.gradless > self.gradless:
            self.confirm("backward() was called on a loss without a gradient")
        else:
            self.unsure("it carried no gradient, but no backward pass failed")

    def holds(self):
        return "it carried gradients"
