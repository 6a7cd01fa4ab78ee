"""OBJ026: checks whether the two sides of a clipped objective agree where nothing is clipped.

Within the clip range r * A and clip(r) * A are equal, and beyond it they have the same sign, since ratios are positive. Confirmed if
they are equal nearly nowhere, if a row has sides of opposite signs, or if the sides are ratios themselves: never negative, and around
1. Refuted if every row was equal at five evaluations, with advantages of both signs among them. Before the first step, and at the
first evaluation after new actions were drawn, a ratio is 1 and nothing is clipped: rows that differ there leave it open.
"""

from rlvet_harness import Probe, numbers


class ClipSidesDiffer(Probe):
    """Watches min(a, b) or max(a, b)."""

    enough = 5
    draws = True
    needs = "sides that agree at every action, with numbers of both signs among them"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.draws_before = None  # draws before the last evaluation

    def hit(self, hit):
        new, self.draws_before = self.draws_before != self.run.draws or not self.run.steps, self.run.draws
        one, other = hit.argument(0, "input"), hit.argument(1, "other")
        if getattr(one, "shape", None) is None or getattr(other, "shape", None) is None or one.shape != other.shape:
            return
        a, b = numbers(one), numbers(other)
        if a is None or b is None or a.count < 8:
            return
        one, other = one.detach(), other.detach()
        same = (one - other).abs() <= 1e-6 * (1 + one.abs())
        equal, opposite = float(same.float().mean()), int((one * other < 0).sum())
        self.show(equal=equal, opposite=opposite, low=min(a.low, b.low))
        self.plot(equal=equal)
        if equal <= 0.1:
            self.confirm("the two sides are equal at %.0f%% of the actions" % (100 * equal), equal=equal)
        elif opposite:
            self.confirm("the two sides have opposite signs at %d of %d actions" % (opposite, a.count), equal=equal)
        elif a.low >= 0 and b.low >= 0 and abs(a.mean - 1) < 0.5 and a.low < 1 < a.high:
            self.confirm("both sides are ratios around 1, without an advantage", mean=a.mean)
        elif not bool(same.all()):
            if new:
                self.unsure("of new actions, where no ratio is clipped yet, the sides differed at %d of %d" % (int((~same).sum()), a.count))
        elif a.low < 0 < a.high and a.bad == b.bad == 0:
            self.upheld()

    def holds(self):
        return "the two sides were equal at every action, where nothing was clipped"
