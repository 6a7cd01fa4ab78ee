"""GRAD009: the gradients that come to the root, and those that it hands back.

An infinite one, or a NaN, that it hands back where a finite one came confirms. Twenty
backwards without one refute.
"""

from rlvet_harness import Probe


class SqrtOrPowAtZero(Probe):
    """Watches a root."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.waiting = 0

    def hit(self, hit):
        inputs = [v for v in hit.parts.values() if getattr(v, "requires_grad", False)]
        if not getattr(hit.value, "requires_grad", False) or not inputs:
            self.hits -= 1
            return
        came = []
        self.waiting += 1
        self.at_backward(hit.value, came.append)
        for x in inputs:
            self.at_backward(x, lambda gradient: self.went(came, gradient))

    def went(self, came, gradient):
        self.waiting = 0
        if not came:
            return  # along another way only
        bad = int((~gradient.isfinite()).sum())
        self.plot(infinite=bad)
        self.show(infinite=bad)
        if bad and came[-1].isfinite().all():
            self.confirm("its gradient is infinite or NaN, though the one that came to it is finite", elements=bad)

    def end(self):
        if self.waiting and self.confirmed is None:
            self.unsure("no backward reached it")

    def holds(self):
        return "all gradients through it were finite"
