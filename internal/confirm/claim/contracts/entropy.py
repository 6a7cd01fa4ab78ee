"""entropy: finite, and of a policy over actions that are counted not negative; in a loss it carries a gradient.

Source: Williams and Peng 1991, Function optimization using connectionist RL; Mnih et al. 2016, A3C.
"""

import sys

from rlvet_harness.contract import Contract


class Entropy(Contract):
    """Watches an entropy where gradients are recorded."""

    needs = "an entropy where gradients are recorded"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.constant = self.flows = 0

    def look(self, hit, seen):
        if sys.modules["torch"].is_grad_enabled() and hasattr(hit.value, "requires_grad"):
            self.flows += seen.requires_grad
            self.upheld(int(seen.requires_grad))
            self.constant += not seen.requires_grad
        if self.constant >= self.enough and not self.flows:
            self.confirm("it carries no gradient: as a term of the loss it changes nothing", value=seen.brief())

    def holds(self):
        return "it was finite" + (" and carried a gradient" if self.flows else "")
