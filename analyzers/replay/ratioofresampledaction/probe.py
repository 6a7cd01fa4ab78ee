"""OFF020: the action that is scored, and those of the batch.

It confirms if no variable of the function that is not the action itself holds the same numbers,
though another of its shape and type is there: the action was drawn anew. One that equals it
refutes, unless a distribution drew it since the last step of an optimizer.
"""

from rlvet_harness import Probe
from rlvet_harness.joins import wrap
from rlvet_harness.observe import is_tensor

KEPT = 16  # draws that are known again


class RatioOfResampledAction(Probe):
    """Watches the log-probability."""

    enough = 1
    needs = "an action that was drawn before the last step of an optimizer, or that the batch has as well"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.draws_seen = []  # what distributions drew last, and the steps of optimizers before it

    def imported(self, torch):
        for kind in (torch.distributions.Distribution, *below(torch.distributions.Distribution)):
            for name in ("sample", "rsample"):
                if name in vars(kind):
                    wrap(kind, name, lambda args, out: self.keep(out))

    def keep(self, draw):
        self.draws_seen = [*self.draws_seen[1 - KEPT :], (draw, self.run.steps)]

    def hit(self, hit):
        action = hit.part("arg0", "value")
        if not hasattr(action, "shape"):
            self.unsure("the action was not seen")
            return
        others = [
            v for v in list(self.frame().f_locals.values())
            if v is not action and hasattr(v, "shape") and v.shape == action.shape and v.dtype == action.dtype
        ]
        names = sum(v is action for v in self.frame().f_locals.values())
        beside = any(bool((v == action).all()) for v in others)
        if beside or not others and names:
            steps = [steps for x, steps in self.draws_seen if is_tensor(x) and x.shape == action.shape and bool((x == action).all())]
            self.upheld(max(steps) < self.run.steps if steps else beside)
            return
        if others:
            self.confirm("the action that is scored is none of the batch", actions=int(action.numel()))
        else:
            self.unsure("no other action was seen")

    def holds(self):
        return "the action was that of the batch"


def below(kind):
    """Returns the classes that are derived from a class."""
    return [k for direct in kind.__subclasses__() for k in [direct, *below(direct)]]
