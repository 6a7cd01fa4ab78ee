"""GRAD008: the gradients that come to the operation, and those that it hands back.

A NaN that it hands back where the gradient that came to it has none confirms. Twenty
backwards without one refute.
"""

from rlvet_harness import Probe


class WhereNanGrad(Probe):
    """Watches an operation with a singular point."""

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
        nan = int(gradient.isnan().sum())
        self.plot(nan=nan)
        self.show(nan=nan)
        if nan and not came[-1].isnan().any():
            self.confirm("its gradient is NaN, though the one that came to it is not", elements=nan)

    def end(self):
        if self.waiting and self.confirmed is None:
            self.unsure("no backward reached it")

    def holds(self):
        return "no gradient through it was NaN"
