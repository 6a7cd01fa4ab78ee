"""LOOP076: how many rows of a rollout hold anything when all of them are gone through.

Confirmed if one row more holds something at each of several evaluations: the rollout is still being filled. Refuted if the last row is there at the first one.
"""

from rlvet_harness import Probe


def rows_filled(value, rows):
    """How many leading rows of an array of so many hold anything but zeros; -1 for what is no such array."""
    shape = getattr(value, "shape", None)
    if shape is None or len(shape) == 0 or int(shape[0]) != rows or not hasattr(value, "any"):
        return -1
    for last in range(rows, 0, -1):
        if bool((value[last - 1] != 0).any()):
            return last
    return 0


class RolloutReadEarly(Probe):
    """Watches range(n)."""

    enough = 1
    needs = "arrays with a row for each round, in variables of the function or fields of its object"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.before = None
        self.grown = 0

    def hit(self, hit):
        rows = self.rows(hit)
        frame = self.frame()
        if rows < 3 or frame is None:
            return
        here = list(frame.f_locals.values())
        here += [x for owner in here if hasattr(owner, "__dict__") and not isinstance(owner, type) for x in list(vars(owner).values())]
        filled = max((rows_filled(x, rows) for x in here), default=-1)
        if filled < 0:
            return
        if self.before is None and filled == rows:
            self.upheld()
        self.grown = self.grown + 1 if self.before is not None and filled == self.before + 1 else 0
        self.before = filled
        if self.grown >= 2:
            self.confirm("all rows are gone through while they are filled one by one", filled=filled, rows=rows)

    def rows(self, hit):
        try:
            return len(hit.value)
        except TypeError:  # reversed(range(n)) has no length
            inner = [part for part in hit.parts.values() if isinstance(part, range)]
            return len(inner[0]) if inner else 0

    def holds(self):
        return "the last row was filled when all rows were gone through"
