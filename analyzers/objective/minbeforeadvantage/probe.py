"""OBJ040: whether the choice between a ratio and its clamp would have been another with the advantage.

The smaller of both is the larger of both times a negative advantage. Confirmed if the ratio left the band from below or
above, so that both differ, and a negative number was among what the choice was multiplied with: the gradient that reaches
the choice has both signs, or the wrong one.
"""

from rlvet_harness import Probe


class MinBeforeAdvantage(Probe):
    """Watches min(ratio, clamp(ratio))."""

    enough = 5
    needs = "the advantages, of which the probe sees the sign alone: where one is negative the mistake shows"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.judged = 0

    def hit(self, hit):
        one, other = hit.argument(0, "input"), hit.argument(1, "other")
        value = hit.value
        if not getattr(value, "requires_grad", False) or one is None or other is None or self.confirmed is not None:
            return
        differ = (one.detach() - other.detach()).abs() > 1e-6
        if bool(differ.any()):
            self.at_step(value, lambda gradient: self.reached(gradient, differ))

    def reached(self, gradient, differ):
        self.judged += 1
        along = gradient.expand_as(differ)
        if bool((differ & (along > 0)).any()):  # a loss that falls with the choice: a negative advantage
            self.confirm("of an action with a negative advantage the optimistic side was taken", times=int((differ & (along > 0)).sum()))

    def end(self):
        if self.judged < self.enough:
            self.unsure("too few updates had a ratio outside the band")

    def holds(self):
        return "no negative advantage met a ratio outside the band"
