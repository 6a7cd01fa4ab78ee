"""LOOP023: whether what is clipped is a computed tensor, which keeps no gradient. Parameters refute."""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class ClipOfLoss(Probe):
    """Watches the call that clips."""

    enough = 3

    def hit(self, hit):
        given = hit.part("parameters", "arg0")
        if is_tensor(given) and not given.is_leaf and not given.retains_grad:
            self.confirm("it was given a computed tensor, which keeps no gradient", returned=float(hit.value or 0))

    def holds(self):
        return "it was given parameters"
