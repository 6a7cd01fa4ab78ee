"""Calls that are made again with the same arguments: do they draw, or change what they are made of?

The flagged expression is evaluated again under several seeds, and the random generators are restored. Results that differ say that it draws, or
that each call moves what the next one uses.
"""

import random
import sys

from .probe import Probe

SEEDS = 12  # evaluations that are compared
LOOKED = 4  # hits at which that is done


class Again(Probe):
    """Watches a call on the way to the action of an evaluation."""

    enough = LOOKED

    def __init__(self, target, run):
        super().__init__(target, run)
        self.busy = False
        self.looked = 0
        self.drawn = []

    def hit(self, hit):
        if self.busy or self.looked >= LOOKED:
            return
        if isinstance(hit.value, bool):
            self.compared(hit)
            return
        frame, code = self.frame(), self.target["text"]
        if frame is None:
            self.unsure("the call cannot be made again")
            return
        self.looked += 1
        self.busy = True
        try:
            results = [seeded(seed, code, frame) for seed in range(SEEDS)]
        finally:
            self.busy = False
        if all(equal(results[0], other) for other in results[1:]):
            self.upheld()
        else:
            self.confirm("the same call with the same arguments yielded different results", first=str(results[0])[:60])

    def compared(self, hit):
        """Looks at a comparison of a draw with a rate."""
        sides = [hit.part("left"), hit.part("right", "right0")]
        if not all(isinstance(x, (int, float)) for x in sides):
            self.unsure("the rate was not seen")
            return
        self.drawn.append(sides)
        for i in range(2):
            values = {s[i] for s in self.drawn}
            if len(self.drawn) >= 10 and len(values) == 1 and min(values) >= 0.5:
                self.confirm("draws were compared with %g at each step" % min(values), rate=min(values))

    def holds(self):
        return "the same call with the same arguments yielded equal results"


def seeded(seed, code, frame):
    """Evaluates an expression of the program under a seed, then restores the random generators."""
    torch, numpy = sys.modules["torch"], sys.modules.get("numpy")
    states = random.getstate(), numpy.random.get_state() if numpy is not None else None
    try:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            random.seed(seed)
            if numpy is not None:
                numpy.random.seed(seed)
            return eval(compile("(%s)" % code, "<again>", "eval"), frame.f_globals, dict(frame.f_locals))
    finally:
        random.setstate(states[0])
        if numpy is not None:
            numpy.random.set_state(states[1])


def equal(a, b):
    """Returns whether two results are the same."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    same = a == b
    if hasattr(same, "all"):
        return getattr(a, "shape", None) == getattr(b, "shape", None) and bool(same.all())
    return bool(same)
