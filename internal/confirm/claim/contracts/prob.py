"""prob: between 0 and 1; where a row holds all actions, it sums to 1.

Source: torch.distributions.Categorical, probs.
"""

from rlvet_harness.contract import Contract

ROOM = 1e-4


class Prob(Contract):
    """Watches probabilities."""

    needs = "numbers between 0 and 1"

    def look(self, hit, seen):
        if seen.low < -ROOM or seen.high > 1 + ROOM:
            self.confirm("it is from %.3g to %.3g, and a probability is from 0 to 1" % (seen.low, seen.high), value=seen.brief())
        elif seen.high > 0 and seen.low < 1:
            self.upheld()

    def holds(self):
        return "it was between 0 and 1"
