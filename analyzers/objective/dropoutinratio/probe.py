"""OBJ032: the importance ratio before anything is learnt.

Before the first step of an optimizer the policy is the one that drew the actions: a ratio that is off 1 then confirms, a ratio of 1 refutes.
"""

from rlvet_harness import Probe, numbers


class DropoutInRatio(Probe):
    """Watches exp(new - old)."""

    enough = 1
    needs = "a ratio before the first step of an optimizer, with a gradient"

    def hit(self, hit):
        seen = numbers(hit.value)
        if self.run.steps > 0 or not getattr(hit.value, "requires_grad", False) or seen is None or not seen.count or seen.bad:
            return
        self.show(ratio=seen.brief())
        off = max(seen.high - 1, 1 - seen.low)
        if off > 1e-3:
            self.confirm("the ratio was off 1 before the first step", ratio=seen.brief())
        else:
            self.upheld()

    def holds(self):
        return "the ratio was 1 before the first step"
