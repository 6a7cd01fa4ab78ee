"""VAL008: whether the flagged entropy is counted where an episode ended.

It confirms if a flag of the ends of episodes is 1 at elements at which the term is not 0: what belongs to the next action is counted
there, though there is no next action. A term that is 0 just where one such flag is 1 refutes, if it is so for all of them.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import ends_near, flat, is_padding


class EntropyOutsideDiscount(Probe):
    """Watches the term of the entropy."""

    enough = 3
    needs = "a flag of the ends of episodes in sight, by its name or its type, and a term that is 0 just where it is 1"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seen = 0

    def hit(self, hit):
        term = flat(hit.value)
        flags = [ended for _, ended in ends_near(self.frame(), len(term or ()))]
        self.seen += len(flags)
        masks = [ended for ended in flags if not is_padding(ended) and all((x == 0) == bool(over) for x, over in zip(term, ended))]
        counted = [ended for ended in flags if all(x != 0 for x, over in zip(term, ended) if over)]
        if masks and counted:
            self.unsure("one flag masks the term, and another in sight is 1 where it is counted: which of them says that an episode ended is not known")
        elif masks:
            self.upheld()
        elif counted:
            self.confirm("the entropy of the next action is counted where a flag of the batch is 1", of=len(term))

    def end(self):
        if self.seen < self.enough:
            self.unsure("no flag of the ends of episodes was found around the term")

    def holds(self):
        return "the term was 0 where a flag was 1"
