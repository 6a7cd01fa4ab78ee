"""OBJ002: which of the two sides is taken, and whether more of it is gained or lost.

The gradient that a backward brings the value tells whether it is a gain (the loss falls as
it rises) or a loss. A gain of which the larger side was taken, or a loss of which the
smaller was, confirms. Where the sides differed and the pessimistic one was taken each time,
that refutes; sides that are equal, as at the first update, tell nothing.
"""

from rlvet_harness import Probe

ENOUGH = 5  # values with sides that differ, reached by a backward


class MinMaxFlipped(Probe):
    """Watches min(a, b) or max(a, b)."""

    enough = ENOUGH

    def __init__(self, target, run):
        super().__init__(target, run)
        self.pessimistic = 0

    def hit(self, hit):
        one, other = hit.argument(0, "input"), hit.argument(1, "other")
        value = hit.value
        if not getattr(value, "requires_grad", False) or one is None or other is None or self.confirmed is not None:
            return
        one, other, taken = one.detach(), other.detach(), value.detach()
        differ = (one - other).abs() > 1e-6 * (1 + one.abs())
        if not bool(differ.any()):
            return
        larger = int((differ & (taken > (one + other) / 2)).sum())
        smaller = int(differ.sum()) - larger
        self.plot(larger_taken_less_smaller=larger - smaller)
        self.at_backward(value, lambda gradient: self.reached(gradient, differ, larger, smaller))

    def reached(self, gradient, differ, larger, smaller):
        along = float(gradient.expand_as(differ)[differ].sum())
        self.show(larger=larger, smaller=smaller, gradient=along)
        if along < 0 and larger:
            self.confirm("the loss falls as it rises, and the larger of two gains was taken", times=larger)
        elif along > 0 and smaller:
            self.confirm("the loss rises with it, and the smaller of two losses was taken", times=smaller)
        elif along:
            self.pessimistic += 1

    def end(self):
        if self.pessimistic < ENOUGH:
            self.unsure("too few backwards reached a value whose sides differ")

    def holds(self):
        return "the pessimistic side was taken each time"
