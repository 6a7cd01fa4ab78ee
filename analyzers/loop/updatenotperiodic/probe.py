"""LOOP041: how often a condition holds that is to hold once a period.

Never, and nearly always, confirm. In some rounds, but in less than half of them, refutes.
"""

from rlvet_harness import Probe

ROUNDS = 25  # that a verdict takes


class UpdateNotPeriodic(Probe):
    """Watches the condition."""

    enough = 1
    needs = "a condition that holds in some of 25 rounds, and in less than half of them"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.held = 0

    def hit(self, hit):
        self.held += bool(hit.value)
        if self.hits < ROUNDS:
            return
        if not self.held:
            self.confirm("the condition held in none of %d rounds" % self.hits)
        elif self.held >= 0.85 * self.hits:
            self.confirm("the condition held in %d of %d rounds" % (self.held, self.hits))

    def end(self):
        if self.hits < ROUNDS:
            self.unsure("there were too few rounds")
        elif 0 < self.held < 0.5 * self.hits:
            self.upheld()

    def holds(self):
        return "the condition held in %d of %d rounds" % (self.held, self.hits)
