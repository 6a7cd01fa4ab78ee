"""OBJ031: whether the old side of a clip is the new one, also after steps of an optimizer.

Before the first step on a rollout both are the same in right programs, too: an evaluation counts where a step was taken since the last one.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor

NOTHING = 1e-6


class OldIsNew(Probe):
    """Watches a difference of log-probabilities, or a value that is kept near an old one."""

    needs = "several steps on one rollout, and both sides of the comparison"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.steps = None

    def hit(self, hit):
        before, self.steps = self.steps, self.run.steps
        moved = change(hit)
        if moved is None or before is None or before == self.steps:
            return
        self.show(largest_change=moved)
        if moved <= NOTHING:
            self.confirm("the old side was the new one, although the weights had moved", largest_change=moved)
        else:
            self.upheld()

    def end(self):
        if self.steps is None:
            self.unsure("no comparison was seen")

    def holds(self):
        return "the new side had moved from the old one"


def change(hit):
    """Returns by how much the sides differ at most: what is subtracted, what a clamp adds, or a value from the middle of its bounds."""
    value, low, high = hit.argument(0, "input"), hit.argument(1, "min"), hit.argument(2, "max")
    if is_tensor(value) and is_tensor(low) and is_tensor(high):
        return float((value - (low + high) / 2).detach().abs().max())
    left, right = hit.part("left", "receiver"), hit.part("right", "arg0")
    if not is_tensor(left) or not is_tensor(right) or not is_tensor(hit.value):
        return None
    new = hit.value.detach()
    by = [float((new - side.detach()).abs().max()) for side in (left, right)]
    return min(by) if by and min(by) < float(new.abs().max()) or float(new.abs().max()) > NOTHING else float(new.abs().max())
