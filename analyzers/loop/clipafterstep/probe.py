"""LOOP004: whether the gradients that are clipped are used by a step afterwards.

A clip after the step confirms, once the gradients are gone at the next backward pass, or the
program ends without another step. A clip before the step refutes. Nothing is known
where the next backward pass adds to what was clipped, or where the clip happens to change nothing.
"""

import math

from rlvet_harness import Probe
from rlvet_harness.ledger import clipped_at
from rlvet_harness.observe import parameters_of


class ClipAfterStep(Probe):
    """Watches the call that clips."""

    deep = True
    enough = 3
    needs = "a step of an optimizer that uses what was clipped"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.fresh = {}  # whether a backward pass came after the last step, by parameter
        self.early = set()  # the parameters of a clip before the step
        self.late = None  # those of a clip after the step, until the next backward pass
        self.kept = False

    def imported(self, torch):
        backward, probe = torch.autograd.backward, self

        def watched(*args, **kwargs):
            probe.guarded(probe.before_backward)
            out = backward(*args, **kwargs)
            probe.fresh.clear()
            return out

        torch.autograd.backward = watched

    def before_backward(self):
        if self.late is None:
            return
        if all(p.grad is None or not bool(p.grad.any()) for p in self.late):
            self.confirm("the step came before the clip, and the clipped gradients were set to zero")
        else:
            self.kept = True
        self.late = None

    def stepped(self, optimizer):
        self.late = None
        self.upheld(any(id(p) in self.early for p in parameters_of(optimizer)))
        self.early.clear()
        self.fresh.update((id(p), False) for p in parameters_of(optimizer))

    def hit(self, hit):
        clipped = [p for p in clipped_at(self, hit) if p.grad is not None]
        if not clipped:
            self.unsure("which parameters are clipped was not seen")
        elif any(self.fresh.get(id(p), True) for p in clipped):
            self.early = {id(p) for p in clipped}
        elif self.changes(hit):
            self.late = clipped
        elif hit.part("max_norm", "arg1") == math.inf:  # it only measures
            self.upheld()

    def changes(self, hit):
        """Whether the call changes gradients: their norm, which it returns, is over the bound."""
        bound = hit.part("max_norm", "arg1")
        return hit.value is None or bound is None or float(hit.value) > float(bound) * 1.001

    def end(self):
        if self.kept:
            self.unsure("the gradients were clipped after the step, and kept")
        elif self.late is not None:
            self.confirm("the step came before the clip, and no step used the clipped gradients")

    def holds(self):
        return "no step had used the gradients that it changed"
