"""OBJ022: checks the clip bounds, and what the clip does to the ratio of equal policies.

The first update shows what is clipped: values around 1 are ratios, values around 0 are
log-ratios. Confirmed if the clip changes the value of equal policies, or if the lower bound
for a ratio is below 0, where nothing can be clipped. Refuted if the clip leaves such values
unchanged, with bounds that a ratio can reach.
"""

from rlvet_harness import Probe, numbers

NEAR = 1e-3


class ClipBoundsWrong(Probe):
    """Watches clamp(ratio, low, high)."""

    enough = 5
    needs = "equal policies at the first update, and a clip that leaves them as they are"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.centre = None  # 1 for a ratio, 0 for a log-ratio

    def hit(self, hit):
        before, after = hit.argument(0, "input", "a"), hit.value
        seen, out = numbers(before), numbers(after)
        if seen is None or out is None or seen.mean is None:
            return
        if self.centre is None:
            self.centre = next((c for c in (1, 0) if abs(seen.low - c) < 0.05 and abs(seen.high - c) < 0.05), -1)
        if self.centre < 0:
            self.unsure("the policies already differ at the first update")
            return
        bounds = [numbers(hit.argument(i, *names)) for i, names in ((1, ("min", "a_min")), (2, ("max", "a_max")))]
        low, high = (b.mean if b is not None else None for b in bounds)
        self.show(values=seen.brief(), clipped=out.brief(), low=low, high=high)
        moved = (abs(before - self.centre) < NEAR) & (abs(after - before) > NEAR)
        self.plot(share_clipped=float((abs(after - before) > 0).sum()) / seen.count)
        if bool(moved.any()):
            became = out.mean if out.low == out.high else float(after[moved][0])
            self.confirm("equal policies give %d, which the clip changes to %.3g" % (self.centre, became), low=low, high=high, values=seen.brief())
        elif self.centre == 1 and low is not None and low < 0:
            self.confirm("the lower bound is %.3g, but a ratio is never negative" % low, low=low, high=high, values=seen.brief())
        elif bool((abs(before - self.centre) < NEAR).any()) or None not in (low, high) and low < self.centre < high:
            self.upheld()

    def holds(self):
        return "equal policies give %d, which the clip left unchanged" % self.centre
