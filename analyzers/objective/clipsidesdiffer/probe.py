"""OBJ026: checks whether the two sides of a clipped objective agree where nothing is clipped.

Within the clip range r * A and clip(r) * A are equal. Confirmed if they are equal nearly
nowhere, or if the sides are ratios themselves: never negative, and around 1. Refuted if most
elements were equal at five evaluations, and some of them negative.
"""

from rlvet_harness import Probe, numbers


class ClipSidesDiffer(Probe):
    """Watches min(a, b) or max(a, b)."""

    enough = 5
    needs = "sides that agree at most actions, with negative numbers among them"

    def hit(self, hit):
        one, other = hit.argument(0, "input"), hit.argument(1, "other")
        if getattr(one, "shape", None) is None or getattr(other, "shape", None) is None or one.shape != other.shape:
            return
        a, b = numbers(one), numbers(other)
        if a is None or b is None or a.count < 8:
            return
        equal = float(((one - other).detach().abs() <= 1e-6 * (1 + one.detach().abs())).float().mean())
        self.show(equal=equal, low=min(a.low, b.low))
        self.plot(equal=equal)
        if equal <= 0.1:
            self.confirm("the two sides are equal at %.0f%% of the actions" % (100 * equal), equal=equal)
        elif equal > 0.1 and a.low >= 0 and b.low >= 0 and abs(a.mean - 1) < 0.5 and a.low < 1 < a.high:
            self.confirm("both sides are ratios around 1, without an advantage", mean=a.mean)
        elif equal > 0.5 and min(a.low, b.low) < 0:
            self.upheld()

    def holds(self):
        return "the two sides were equal where nothing was clipped"
