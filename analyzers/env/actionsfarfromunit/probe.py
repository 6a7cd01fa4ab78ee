"""ENV062: how wide the space of actions is."""

from rlvet_harness import Probe


class ActionsFarFromUnit(Probe):
    """Watches the space."""

    enough = 1
    needs = "a space with bounds"

    def hit(self, hit):
        if not hasattr(hit.value, "low") or not hasattr(hit.value, "high"):
            return
        low, high = float(hit.value.low.min()), float(hit.value.high.max())
        if high - low > 10 or high - low < 0.1:
            self.confirm("actions reach from %g to %g" % (low, high))
        else:
            self.upheld()

    def holds(self):
        return "the space is near [-1, 1]"
