"""DIST050: whether each action that the environment gets is an argmax that torch computed since the last one.

Fifty steps of which each action is such an argmax, while torch drew no random number, confirm. An action
that is none refutes: it was drawn. Where torch drew numbers nothing is said, since they may be noise
on the values.
"""

import sys

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor

MANY = 50  # steps after which chance is ruled out: 2 actions agree by it in one of 10**15 runs


class ActionsNeverExplore(Probe):
    """Watches the environment's step."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.best = []  # the results of argmax since the last step
        self.state = None  # of torch's generator at the last step
        self.greedy = 0

    def imported(self, torch):
        for owner in (torch, torch.Tensor):
            setattr(owner, "argmax", self.watched(getattr(owner, "argmax")))

    def watched(self, argmax):
        def call(*args, **kwargs):
            out = argmax(*args, **kwargs)
            self.best.append(out)
            return out

        return call

    def hit(self, hit):
        state = sys.modules["torch"].get_rng_state()
        drew = self.state is not None and not bool((state == self.state).all())
        self.state, best, self.best = state, self.best, []
        action = hit.argument(1, "action", "actions")
        if drew:
            self.unsure("random numbers were drawn between steps, which may be noise on the values")
        elif any(same(action, b) for b in best):
            self.greedy += 1
            if self.greedy == MANY:
                self.confirm("each of %d actions was the best one so far" % MANY)
        else:
            self.greedy = -MANY * 1000

    def end(self):
        if 0 <= self.greedy < MANY:
            self.unsure("only %d steps were taken" % self.greedy)

    def holds(self):
        return "an action was taken that was not the best one so far"


def same(action, best):
    """Whether an action is the result of an argmax, or of its conversion to a number."""
    if hasattr(action, "tolist"):
        action = action.tolist()
    return action == (best.tolist() if is_tensor(best) else best)
