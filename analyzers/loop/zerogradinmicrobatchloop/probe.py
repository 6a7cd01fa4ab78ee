"""LOOP002: whether zero_grad() throws away gradients that no step has used.

That confirms where a step of the optimizer comes later.
"""

from rlvet_harness.ledger import Ledger


class ZeroGradInMicrobatchLoop(Ledger):
    """Watches zero_grad()."""

    enough = 2
    needs = "gradients that a step had used, at zero_grad()"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.gone, self.here = set(), False

    def hit(self, hit):
        self.here = True
        self.settle()
        self.here = False

    def thrown(self, parameters):
        if self.here:
            self.gone.update(map(id, parameters))

    def cleared(self, parameters):
        self.upheld(self.here)

    def used(self, optimizer, fresh):
        if any(id(p) in self.gone for p in fresh):
            self.confirm("gradients were thrown away that no step had used, and a step used those of the last part")

    def holds(self):
        return "a step had used all gradients that were set to zero"
