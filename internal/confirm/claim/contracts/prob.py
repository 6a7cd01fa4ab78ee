"""prob: between 0 and 1; where a row holds all actions, it sums to 1.

Source: torch.distributions.Categorical, probs.
"""

from rlvet_harness.contract import Contract

ROOM = 1e-4


class Prob(Contract):
    """Watches probabilities."""

    def look(self, hit, seen):
        if seen.low < -ROOM or seen.high > 1 + ROOM:
            self.confirm("it is from %.3g to %.3g, and a probability is from 0 to 1" % (seen.low, seen.high), value=seen.brief())

    def holds(self):
        return "it was between 0 and 1"
