"""VAL097: whether a target is zero where an episode ended.

The reward is all that is left of a target there. Confirmed if some elements are exactly zero and others are not; refuted if none is.
"""

from rlvet_harness import Probe, numbers


class TargetWithoutReward(Probe):
    """Watches the target."""

    enough = 5

    def hit(self, hit):
        if numbers(hit.value) is None or not hasattr(hit.value, "numel"):
            self.unsure("the target was not seen")
            return
        zeros = int((hit.value == 0).sum())
        if 0 < zeros < hit.value.numel():
            self.confirm("the target is zero where an episode ended", zeros=zeros, of=int(hit.value.numel()))

    def holds(self):
        return "the target was nowhere zero"
