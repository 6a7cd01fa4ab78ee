"""LOOP041: how often a condition holds that is to hold once a period."""

from rlvet_harness import Probe


class UpdateNotPeriodic(Probe):
    """Watches the condition."""

    enough = 25

    def __init__(self, target, run):
        super().__init__(target, run)
        self.held = 0

    def hit(self, hit):
        self.held += bool(hit.value)
        if self.hits < self.enough:
            return
        if not self.held:
            self.confirm("the condition held in none of %d rounds" % self.hits)
        elif self.held >= 0.85 * self.hits:
            self.confirm("the condition held in %d of %d rounds" % (self.held, self.hits))

    def end(self):
        if self.hits < self.enough:
            self.unsure("there were too few rounds")

    def holds(self):
        return "the condition held in %d of %d rounds" % (self.held, self.hits)
