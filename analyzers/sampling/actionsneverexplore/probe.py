"""DIST050: whether each action that the environment gets is an argmax that torch computed since the last one.

Fifty steps of which each action is such an argmax, while torch drew no random number, confirm. Actions
that are none, in a program whose other actions are such, refute: they were drawn. Where torch drew numbers nothing is said, since they may be noise
on the values.
"""

import sys

from rlvet_harness import Probe
from rlvet_harness.flags import flat

FEW = 5  # actions that were an argmax: the program chooses them so
MANY = 50  # steps after which chance is ruled out: 2 actions agree by it in one of 10**15 runs


class ActionsNeverExplore(Probe):
    """Watches the environment's step."""

    needs = "actions that are an argmax which torch computed, and others that are none"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.best = []  # the results of argmax since the last step
        self.state = None  # of torch's generator at the last step
        self.last = None  # action
        self.greedy = self.best_ones = self.others = 0

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
            self.best_ones += 1
            if self.greedy == MANY:
                self.confirm("each of %d actions was the best one so far" % MANY)
        else:
            self.greedy = -MANY * 1000
            self.others += action is not None and not same(action, self.last)
        self.last = action

    def end(self):
        if 0 <= self.greedy < MANY:
            self.unsure("only %d steps were taken" % self.greedy)
        elif self.others and self.best_ones >= FEW:
            self.upheld(self.enough)

    def holds(self):
        return "an action was taken that was not the best one so far"


def same(action, best):
    """Whether an action is the result of an argmax, or of its conversion to a number."""
    mine = flat(action)
    return mine is not None and mine == flat(best)
