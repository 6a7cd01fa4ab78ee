"""DIST027: whether the log-density depends on the policy.

While gradients are recorded, a log-density that requires none confirms: nothing that the policy yields is in it. One that
does refutes.
"""

import sys

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class LogprobOfNoise(Probe):
    """Watches the log-density."""

    enough = 1
    needs = "a log-density while gradients are recorded"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.flows = 0

    def hit(self, hit):
        if not is_tensor(hit.value) or not sys.modules["torch"].is_grad_enabled():
            return
        if hit.value.requires_grad:
            self.flows += 1
            self.upheld()
        else:
            self.confirm("the log-density does not depend on any parameter", mean=float(hit.value.mean()))

    def end(self):
        if not self.flows:
            self.unsure("the log-density was not evaluated with gradients")

    def holds(self):
        return "the log-density depends on the policy"
