"""DIST024: checks the weights of a draw for log-probabilities.

Log-probabilities are 0 or below. Confirmed if a weight is negative, or if the draw raises
for that reason. Refuted if no weight is ever negative, and they sum to 1 or come from an exponential or a normalisation.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.trace import PROPORTIONS, SCORES, made_of

# REFUSALS are the errors with which torch, numpy and random reject weights.
REFUSALS = (
    "probability tensor contains", "invalid multinomial distribution", "CUDA error: device-side assert",
    "probabilities are not non-negative", "probabilities do not sum to 1", "Total of weights must be greater than zero",
)


class MultinomialOnLogProbs(Probe):
    """Watches the weights of multinomial, numpy's choice and random's choices."""

    follows = True
    needs = "weights that sum to 1, or that come from an exponential or a normalisation"

    def hit(self, hit):
        weights = hit.part("p", "weights") if {"p", "weights"} & set(hit.parts) else hit.argument(0, "input")
        seen = numbers(weights)
        if seen is None or seen.count == 0:
            return
        self.show(weights=seen.brief())
        self.plot(smallest_weight=seen.low)
        if seen.negative:
            self.confirm("a weight is negative", weights=seen.brief())
        else:
            makers = made_of(weights)
            self.upheld(sums_to_one(weights) or bool(makers.intersection(PROPORTIONS)) and not makers.intersection(SCORES))

    def failed(self, error):
        text = str(error)
        return "the draw raised: %s" % text.splitlines()[0] if any(r in text for r in REFUSALS) else None

    def holds(self):
        return "no weight was negative at any draw"


def sums_to_one(weights):
    """Reports whether the rows of weights sum to 1."""
    sums = weights.sum(-1) if hasattr(weights, "sum") else sum(weights)
    return bool((abs(sums - 1) < 1e-3).all()) if hasattr(sums, "all") else abs(sums - 1) < 1e-3
