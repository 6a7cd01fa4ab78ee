"""OBJ005: checks whether good actions are at the bound of the dual clip.

The side without gradients is the bound, a multiple of the advantage. The gradient of the
whole shows at which actions the loss counts it. Confirmed if most of the actions with a
positive advantage that are counted are at the bound. Refuted if none was at five passes.
"""

from rlvet_harness import Probe


class DualClipAllSigns(Probe):
    """Watches max(gain, c * A) or min(loss, -c * A)."""

    enough = 5
    needs = "a backward that counts actions with a positive advantage, none of them at the bound, and a step after it"

    def hit(self, hit):
        one, other = hit.argument(0, "input"), hit.argument(1, "other")
        value = hit.value
        if not getattr(value, "requires_grad", False) or one is None or other is None or self.confirmed is not None:
            return
        fixed = [s for s in (one, other) if not getattr(s, "requires_grad", True)]
        if len(fixed) != 1:
            return
        bound, taken = fixed[0], value.detach()
        self.at_step(value, lambda gradient: self.reached(gradient, bound, taken))

    def reached(self, gradient, bound, taken):
        good = bound * gradient < 0  # the loss falls with a gain, and rises with a loss
        held = int((good & (taken == bound)).sum())
        self.show(good=int(good.sum()), held=held)
        if held and 2 * held > int(good.sum()):
            self.confirm("most actions with a positive advantage are at the bound, where no gradient flows", times=held)
        elif bool(good.any()) and not held:
            self.upheld()

    def holds(self):
        return "actions with a positive advantage were not at the bound"
