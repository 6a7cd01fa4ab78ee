"""OBJ029: the gradient of a term that is never positive.

A log-probability of discrete labels is at most 0. Confirmed if the loss rises with a term that is: its gradient there is positive
everywhere. Terms that are positive, or that the loss falls with, refute.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.observe import is_tensor


class LogprobMinimised(Probe):
    """Watches a sum of loss terms, or a term."""

    enough = 1
    needs = "a term that is never positive, a loss that falls with it, and a step that minimises it"

    def hit(self, hit):
        sides = [s for s in (hit.parts.get("left"), hit.parts.get("right")) if is_tensor(s)] or [hit.value]
        for side in sides:
            seen = numbers(side)
            if is_tensor(side) and side.requires_grad and seen is not None and seen.high is not None and seen.high <= 0 and seen.low < 0:
                self.at_step(side, self.look)

    def look(self, gradient):
        if bool((gradient >= 0).all()) and bool((gradient > 0).any()):
            self.confirm("the loss rises with a log-probability", gradient=float(gradient.sum()))
        elif bool((gradient <= 0).all()) and bool((gradient < 0).any()):
            self.upheld()

    def holds(self):
        return "the loss does not rise with a log-probability"
