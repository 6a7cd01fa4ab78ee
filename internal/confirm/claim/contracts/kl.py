"""kl: finite, and not negative on average.

Source: Cover and Thomas 2006, theorem 2.6.3; Schulman 2020, Approximating KL Divergence.
"""

import math

from rlvet_harness.contract import Contract

SURE = 3  # standard errors by which an average is told from 0
ENOUGH = 5  # means of evaluations of which an average says something


class KL(Contract):
    """Watches a divergence, or an estimate by samples, which may be negative now and then."""

    needs = "an average that is told from 0: policies that differ, and evaluations enough"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.means = []

    def look(self, hit, seen):
        self.means.append(seen.mean)

    def end(self):
        super().end()
        n = len(self.means)
        if n < ENOUGH:
            return
        mean = sum(self.means) / n
        spread = math.sqrt(sum((m - mean) ** 2 for m in self.means) / (n - 1) / n)
        if mean < -1e-6 and mean < -SURE * spread:
            self.confirm("it is %.3g on average of %d evaluations, and a KL is never negative" % (mean, n), mean=mean)
        elif mean > 1e-6 and mean > SURE * spread:
            self.upheld(n)

    def holds(self):
        return "it was %.3g on average" % (sum(self.means) / max(len(self.means), 1))
