"""VAL008: whether the flagged entropy is counted where an episode ended.

It confirms if a flag of the batch is 1 at an element at which the term is not 0: what belongs to the next action is counted there,
though there is no next action.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flags_near, flat


class EntropyOutsideDiscount(Probe):
    """Watches the term of the entropy."""

    enough = 3
    needs = "a flag in sight, and a term that is 0 just where it is 1"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seen = 0

    def hit(self, hit):
        term = flat(hit.value)
        for ended in flags_near(self.frame(), len(term or ())):
            self.seen += 1
            if all((x == 0) == bool(over) for x, over in zip(term, ended)):
                self.upheld()
            if all(x != 0 for x, over in zip(term, ended) if over):
                self.confirm("the entropy of the next action is counted where a flag of the batch is 1", of=len(term))

    def end(self):
        if self.seen < self.enough:
            self.unsure("no flag of the ends of episodes was found around the term")

    def holds(self):
        return "the term was 0 where a flag was 1"
