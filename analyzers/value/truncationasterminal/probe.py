"""VAL001: whether steps that were only cut off count no next value.

Confirmed if the mask is 0 where a flag near it says that the step was cut off, and another near it says that it did not
terminate. Of a condition that is asked step by step, the same is looked for among the truth values near it over all steps. A mask that counts next
values where a flag says that the step was cut off refutes, if it does wherever no other flag says that the episode ended.
"""

import re
from itertools import combinations

from rlvet_harness import Probe
from rlvet_harness.flags import end_or_not, ends_near, flat, is_padding, named_flags_near

CUT = re.compile(r"trunc|time|limit|cut", re.IGNORECASE)


class TruncationAsTerminal(Probe):
    """Watches the mask of the next value."""

    enough = 5
    needs = "a flag in sight that says by its name what was cut off, and a mask that counts next values there"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.kept = 0
        self.pairs = {}  # by two names: how often each alone was true, of flags which so far said together what the condition says

    def hit(self, hit):
        if isinstance(hit.value, bool):
            self.step(hit.value)
            return
        mask = flat(hit.value)
        if not mask or len(mask) < 2:
            return
        zero = {i for i, x in enumerate(mask) if x == 0}
        frame = self.frame()
        named = [(name, _rows(f)) for name, f in named_flags_near(frame, len(mask)) if not is_padding(f) or CUT.search(name) or end_or_not(name, False)[0]]
        ended = set().union(*(_rows(f) for name, f in ends_near(frame, len(mask)) if not CUT.search(name)))
        cut = [flag for name, flag in named if CUT.search(name)]
        self.upheld(any(flag - zero for flag in cut) and all(flag & zero <= ended for flag in cut))
        flags = [flag for _, flag in named]
        for one in flags:
            for other in flags:
                if one - other and other - one and one | other == zero:
                    self.confirm("the next value is left out where the episode was only cut off", ended=len(one), cut=len(other - one))
        self.kept += 1

    def step(self, over):
        """Looks at a condition that says whether an episode is over."""
        self.kept += 1
        now = {name: value for name, value in list(self.frame().f_locals.items()) if isinstance(value, bool)}
        for pair in combinations(sorted(now), 2):
            one, other = now[pair[0]], now[pair[1]]
            if pair not in self.pairs and self.kept > 1:
                continue
            alone = self.pairs.setdefault(pair, [0, 0])
            if alone is None or (one or other) != over:
                self.pairs[pair] = None
                continue
            alone[0] += one and not other
            alone[1] += other and not one
            if all(alone):
                self.confirm("there was no next state where the episode was only cut off", ended=alone[0], cut=alone[1])

    def end(self):
        if not self.confirmed and self.kept < self.enough:
            self.unsure("the two flags were not seen near the mask")

    def holds(self):
        return "the mask was not both flags together"


def _rows(flag):
    return {i for i, x in enumerate(flag) if x}
