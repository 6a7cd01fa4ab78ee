"""log-ratio: 0 at the first mini-batch, where the policy is still the one that acted.

Source: Schulman et al. 2017, Proximal Policy Optimization, eq. 6; Huang et al. 2022, The 37 Implementation Details of PPO.
"""

from rlvet_harness.contract import Contract

ROOM = 0.05  # dropout and half precision move it less; another policy moves it more


class LogRatio(Contract):
    """Watches a difference of log-probabilities."""

    enough = 1
    needs = "numbers of the first mini-batch, which carry a gradient or are others later"

    def look(self, hit, seen):
        if hit.index == 0 and max(abs(seen.low), abs(seen.high)) > ROOM:
            self.confirm("it is from %.3g to %.3g at the first mini-batch, and must be 0" % (seen.low, seen.high), value=seen.brief())
        elif self.looked == hit.index + 1 and (seen.requires_grad or seen.low != 0 or seen.high != 0):
            self.upheld()

    def holds(self):
        return "it was 0 at the first mini-batch"
