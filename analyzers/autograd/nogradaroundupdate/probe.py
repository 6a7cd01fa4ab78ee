"""GRAD013: whether the loss carries a gradient.

A value without gradient, and then a backward on a loss without one, confirm. A value that
carries gradients refutes.
"""

from rlvet_harness import Probe
from rlvet_harness.gradients import with_gradient


class NoGradAroundUpdate(Probe):
    """Watches what the network yields."""

    enough = 3

    def __init__(self, target, run):
        super().__init__(target, run)
        self.gradless = None  # losses without gradient before the first evaluation without

    def hit(self, hit):
        if self.gradless is None and not with_gradient(hit.value):
            self.gradless = self.run.gradless

    def end(self):
        if self.gradless is None:
            return
        if self.run.gradless > self.gradless:
            self.confirm("backward() was called on a loss that carries no gradient")
        else:
            self.unsure("it carried no gradient, and no backward failed")

    def holds(self):
        return "it carried gradients"
