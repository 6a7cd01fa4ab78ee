"""VAL097: whether a target is zero where an episode ended.

The reward is all that is left of a target there. Confirmed if some elements are exactly zero and others are not; refuted if none is.
"""

import re

from rlvet_harness import Probe, numbers
from rlvet_harness.flags import named_flags_near

ENDS = re.compile(r"done|term|end|over|trunc|mask|live|alive|cont", re.IGNORECASE)


class TargetWithoutReward(Probe):
    """Watches the target."""

    enough = 5
    needs = "a flag of the ends of episodes in sight, and a target that is 0 nowhere"

    def hit(self, hit):
        if numbers(hit.value) is None or not hasattr(hit.value, "numel"):
            self.unsure("the target was not seen")
            return
        zeros = int((hit.value == 0).sum())
        if 0 < zeros < hit.value.numel():
            self.confirm("the target is zero where an episode ended", zeros=zeros, of=int(hit.value.numel()))
        elif not zeros:
            self.upheld(any(ENDS.search(name) for name, _ in named_flags_near(self.frame(), hit.value.numel())))

    def holds(self):
        return "the target was nowhere zero"
