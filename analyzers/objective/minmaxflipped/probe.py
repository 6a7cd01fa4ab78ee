"""OBJ002: checks which of the two sides is taken, and whether it is a gain or a loss.

The gradient that a backward pass brings to the value shows whether it is a gain (the loss
falls as it rises) or a loss. Confirmed if the larger of two gains or the smaller of two
losses was taken. Refuted if the sides differed and the pessimistic one was taken each time.
Equal sides, as at the first update, are inconclusive.

A side without gradients is the bound of a dual clip: a multiple of the advantage, for the actions
of which that is negative. Confirmed if most of these are at the bound.
"""

from rlvet_harness import Probe

ENOUGH = 5  # values whose sides differ, reached by a backward pass


class MinMaxFlipped(Probe):
    """Watches min(a, b) or max(a, b)."""

    enough = ENOUGH
    needs = "sides that differ, and a backward that brings the value a gradient, which a step then uses"

    def hit(self, hit):
        one, other = hit.argument(0, "input"), hit.argument(1, "other")
        value = hit.value
        if not getattr(value, "requires_grad", False) or one is None or other is None or self.confirmed is not None:
            return
        fixed = [s for s in (one, other) if not getattr(s, "requires_grad", True)]
        one, other, taken = one.detach(), other.detach(), value.detach()
        differ = (one - other).abs() > 1e-6 * (1 + one.abs())
        if not bool(differ.any()):
            return
        if len(fixed) == 1:
            self.at_step(value, lambda gradient: self.bounded(gradient, differ, fixed[0], taken))
            return
        larger = int((differ & (taken > (one + other) / 2)).sum())
        smaller = int(differ.sum()) - larger
        self.plot(larger_taken_less_smaller=larger - smaller)
        self.at_step(value, lambda gradient: self.reached(gradient, differ, larger, smaller))

    def reached(self, gradient, differ, larger, smaller):
        along = float(gradient.expand_as(differ)[differ].sum())
        self.show(larger=larger, smaller=smaller, gradient=along)
        if along < 0 and larger:
            self.confirm("it is a gain, and the larger of the two was taken", times=larger)
        elif along > 0 and smaller:
            self.confirm("it is a loss, and the smaller of the two was taken", times=smaller)
        elif along:
            self.upheld()

    def bounded(self, gradient, differ, bound, taken):
        along = gradient.expand_as(taken)
        bad = differ & (bound * along > 0)  # a loss falls with a gain, and rises with a loss
        held = int((bad & (taken == bound)).sum())
        self.show(negative=int(bad.sum()), held=held)
        if 2 * held > int(bad.sum()):
            self.confirm("most actions with a negative advantage are at the bound, where no gradient flows", times=held)
        elif bool(bad.any()):
            self.upheld()

    def holds(self):
        return "the pessimistic side was taken each time"
