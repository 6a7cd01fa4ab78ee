"""VAL097: whether a target is zero where an episode ended.

The reward is all that is left of a target there. Confirmed if some elements are exactly zero and others are not; refuted if none is, and
it is what a variable in sight holds, as the reward, just where a flag says that an episode ended.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.flags import ends_near, flat, parts_near


class TargetWithoutReward(Probe):
    """Watches the target."""

    enough = 5
    needs = "a flag of the ends of episodes in sight, and a target that is the reward just there, and 0 nowhere"

    def hit(self, hit):
        if numbers(hit.value) is None or not hasattr(hit.value, "numel"):
            self.unsure("the target was not seen")
            return
        zeros = int((hit.value == 0).sum())
        if 0 < zeros < hit.value.numel():
            self.confirm("the target is zero where an episode ended", zeros=zeros, of=int(hit.value.numel()))
        elif not zeros:
            self.upheld(self.rewarded(flat(hit.value) or []))

    def rewarded(self, target):
        """Returns whether the target is, at all rows that ended an episode and there alone, what a variable in sight holds: the reward."""
        frame = self.frame()
        flags = [ended for _, ended in ends_near(frame, len(target))]
        rewards = [r for r in (flat(part) for _, _, part in parts_near(frame) if not isinstance(part, (str, dict))) if r and len(r) == len(target)] if flags else []
        same = [[float(abs(a - b) <= 1e-6 * abs(b)) for a, b in zip(target, r)] for r in rewards]
        return any(ended in same for ended in flags)

    def holds(self):
        return "the target was nowhere zero"
