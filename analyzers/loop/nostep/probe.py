"""LOOP022: whether a step uses the gradients that the flagged pass computes.

Gradients that are gone before a step has used any of them confirm, where that is so until the program ends. Steps that use
all of them refute.
"""

from rlvet_harness.ledger import Ledger


class NoStep(Ledger):
    """Watches a call of backward()."""

    enough = 3
    needs = "steps of optimizers that use all gradients of the pass"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.latest, self.mine = [], set()
        self.open = set()  # of the last flagged pass, gradients that no step has used yet
        self.lost = self.stepped_with = False

    def computed(self, parameters):
        self.latest = parameters

    def hit(self, hit):
        self.mine.update(map(id, self.latest))
        self.open = set(map(id, self.latest))

    def thrown(self, parameters):
        self.lost = self.lost or any(id(p) in self.mine for p in parameters)

    def used(self, optimizer, fresh):
        fresh = {id(p) for p in fresh}
        self.stepped_with = self.stepped_with or bool(self.mine & fresh)
        self.upheld(bool(self.open) and self.open <= fresh)
        self.open -= fresh

    def end(self):
        if self.lost and not self.stepped_with:
            self.confirm("the gradients were set to zero, and no step had used them")

    def holds(self):
        return "a step used the gradients"
