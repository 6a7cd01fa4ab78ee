"""log-prob: finite, and the logarithm of a probability, not the probability.

Source: torch.distributions.Distribution.log_prob; Williams 1992, REINFORCE.
"""

from rlvet_harness.contract import Contract, rows_sum_to_one

ENOUGH = 32  # numbers after which chance is ruled out


class LogProb(Contract):
    """Watches log-probabilities."""

    needs = "numbers below 0"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.like_probabilities, self.other = 0, False

    def look(self, hit, seen):
        if self.always(rows_sum_to_one(hit.value)):
            self.confirm("its rows sum to 1: these are probabilities", value=seen.brief())
        if seen.low > 0 and seen.high <= 1:
            self.like_probabilities += seen.count
        elif seen.low < 0:
            self.other = True
            self.upheld()
        if self.like_probabilities >= ENOUGH and not self.other:
            self.confirm("all numbers are between 0 and 1: these are probabilities", value=seen.brief())

    def holds(self):
        return "it was finite, and no probability"
