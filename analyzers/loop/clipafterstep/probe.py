"""LOOP004: whether the gradients that are clipped are used by a step afterwards.

A clip after the step confirms, once the gradients are gone at the next backward pass, or the
program ends without another step. A clip before the step refutes, if no step had used the gradient of any
parameter that it is given. Of several networks one may be late: then what its step used must be what the backward pass left,
so that no other clip bounded it. Nothing is known where the next backward pass adds to what was clipped, or where the clip
happens to change nothing.
"""

import math

from rlvet_harness.ledger import Ledger, clipped_at
from rlvet_harness.observe import is_gone, parameters_of


class ClipAfterStep(Ledger):
    """Watches the call that clips."""

    deep = True
    enough = 3
    needs = "a step of an optimizer that uses what was clipped, after no other had used a part of it"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.norms = {}  # what the last backward pass left, by parameter
        self.spent = {}  # by parameter that was stepped since: whether the step used it as the backward pass left it
        self.early = set()  # the parameters of a clip before the step
        self.late = []  # those of a clip after the step, until the next backward pass
        self.kept = self.mixed = False

    def before(self):
        if self.late:
            if all(is_gone(p) for p in self.late):
                self.confirm("the step came before the clip, and the clipped gradients were set to zero")
            else:
                self.kept = True
        self.late = []
        return super().before()

    def computed(self, parameters):
        for p in parameters:
            self.norms[id(p)] = float(p.grad.detach().norm())
            self.spent.pop(id(p), None)

    def used(self, optimizer, fresh):
        held = parameters_of(optimizer)
        ids = {id(p) for p in held}
        self.late = [p for p in self.late if id(p) not in ids]
        self.upheld(bool(self.early & ids))
        self.early.clear()
        for p in held:
            if id(p) in self.norms and id(p) not in self.spent:
                norm = 0.0 if p.grad is None else float(p.grad.detach().norm())
                self.spent[id(p)] = abs(norm - self.norms[id(p)]) <= 1e-5 * self.norms[id(p)]

    def hit(self, hit):
        given = clipped_at(self, hit)
        clipped = [p for p in given if p.grad is not None]
        spent = [p for p in given if id(p) in self.spent]
        if not clipped:
            self.unsure("which parameters are clipped was not seen")
        elif hit.part("max_norm", "arg1") == math.inf:  # it only measures
            self.upheld()
        elif not spent:
            self.early = {id(p) for p in clipped}
        else:
            self.mixed = self.mixed or len(spent) < len(given)
            late = [p for p in spent if not is_gone(p)]
            if self.changes(hit) and (len(spent) == len(given) or all(self.spent[id(p)] for p in late)):
                self.late = late

    def changes(self, hit):
        """Whether the call changes gradients: their norm, which it returns, is over the bound."""
        bound = hit.part("max_norm", "arg1")
        return hit.value is None or bound is None or float(hit.value) > float(bound) * 1.001

    def end(self):
        if self.kept:
            self.unsure("the gradients were clipped after the step, and kept")
        elif self.late:
            self.confirm("the step came before the clip, and no step used the clipped gradients")
        elif self.mixed:
            self.unsure("a step had used gradients of some of the parameters that are clipped, and whether they had been clipped before was not seen")

    def holds(self):
        return "no step had used the gradients that it changed"
