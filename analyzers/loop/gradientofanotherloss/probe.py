"""LOOP071: whether a second optimizer steps with what the backward pass of another loss left.

Steps of two optimizers that use gradients of one pass confirm. Gradients that are thrown away unused refute. Which of the two the
loss is meant for is the checker's word.
"""

from rlvet_harness.ledger import Ledger


class GradientOfAnotherLoss(Ledger):
    """Watches the backward pass of an actor's loss."""

    enough = 1
    needs = "a step of the critic's optimizer after it"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last, self.left, self.by = set(), set(), set()

    def computed(self, parameters):
        self.last = {id(p) for p in parameters}

    def hit(self, hit):
        self.left, self.by = set(self.last), set()

    def thrown(self, parameters):
        gone = {id(p) for p in parameters}
        self.upheld(bool(self.left & gone))
        self.left -= gone

    cleared = thrown  # what the pass added to gradients that a step had used goes with them

    def used(self, optimizer, fresh):
        if self.left & {id(p) for p in fresh}:
            self.by.add(id(optimizer))
        if len(self.by) > 1:
            self.confirm("two optimizers stepped with the gradients of this pass")

    def holds(self):
        return "what the pass left in other networks was set to zero unused"
