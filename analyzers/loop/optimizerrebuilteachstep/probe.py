"""LOOP024: whether optimizers that the flagged expression builds take over the same parameters after one step.

That confirms. One that took several steps, and was not built again, refutes. Where it was built again after several steps nothing is known.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import parameters_of


class OptimizerRebuiltEachStep(Probe):
    """Watches the expression that builds an optimizer."""

    enough = 1
    needs = "several steps of one optimizer"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.held, self.steps = None, 0

    def hit(self, hit):
        held = list(map(id, parameters_of(hit.value)))
        if held == self.held and self.steps == 1:
            self.confirm("it was built again for the same parameters after one step")
        elif held == self.held:
            self.unsure("it was built again for the same parameters, after %d steps" % self.steps)
        self.held, self.steps = held, 0

    def stepped(self, optimizer):
        if list(map(id, parameters_of(optimizer))) == self.held:
            self.steps += 1
            self.upheld(self.steps > 1)

    def holds(self):
        return "it was not built again after one step"
