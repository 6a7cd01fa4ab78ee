"""LOOP023: whether what is clipped is a computed tensor, which keeps no gradient. Parameters refute."""

from rlvet_harness import Probe
from rlvet_harness.ledger import clipped_at


class ClipOfLoss(Probe):
    """Watches the call that clips."""

    deep = True
    enough = 3
    needs = "parameters in a list, or of a network"

    def hit(self, hit):
        given = clipped_at(self, hit)
        if any(not p.is_leaf and not p.retains_grad for p in given):
            self.confirm("it was given a computed tensor, which keeps no gradient", returned=float(hit.value or 0))
        else:
            self.upheld(bool(given))

    def holds(self):
        return "it was given parameters"
