"""ratio: 1 at the first mini-batch, where the policy is still the one that acted, and never negative.

Source: Schulman et al. 2017, Proximal Policy Optimization, eq. 6; Huang et al. 2022, The 37 Implementation Details of PPO.
"""

from rlvet_harness.contract import Contract

ROOM = 0.05  # dropout and half precision move it less; another policy moves it more


class Ratio(Contract):
    """Watches an importance ratio."""

    enough = 1
    needs = "numbers of the first mini-batch, which carry a gradient or are others later"

    def look(self, hit, seen):
        if seen.low < 0:
            self.confirm("it is negative, and a ratio never is", value=seen.brief())
        elif hit.index == 0 and max(abs(seen.low - 1), abs(seen.high - 1)) > ROOM:
            self.confirm("it is from %.3g to %.3g at the first mini-batch, and must be 1" % (seen.low, seen.high), value=seen.brief())
        elif self.looked == hit.index + 1 and (seen.requires_grad or seen.low != 1 or seen.high != 1):
            self.upheld()

    def holds(self):
        return "it was 1 at the first mini-batch, and never negative"
