"""DIST023: checks the weights of a draw.

Confirmed if a weight is negative or not finite: multinomial raises there. Non-negative
weights confirm only if the run shows that they are logits: they come from no softmax,
exponential or normalisation, and the draw differs from the softmax of the logits. Refuted if
the rows sum to 1, or if the weights come from one of those.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.trace import PROPORTIONS, SCORES, made_of

# REFUSALS are the errors with which torch and numpy reject weights.
REFUSALS = (
    "probability tensor contains", "invalid multinomial distribution", "CUDA error: device-side assert",
    "probabilities are not non-negative", "probabilities do not sum to 1", "probabilities contain NaN",
)


class MultinomialOnLogits(Probe):
    """Watches the first argument of multinomial."""

    needs = "weights that sum to 1, or that come from a softmax, an exponential or a normalisation"

    follows = True

    def hit(self, hit):
        weights = hit.part("p") if "p" in hit.parts else hit.argument(0, "input")
        seen = numbers(weights)
        if seen is None or seen.count == 0:
            return
        self.show(weights=seen.brief())
        self.plot(smallest_weight=seen.low)
        if seen.bad:
            self.confirm("a weight is not finite", weights=seen.brief())
        elif seen.negative:
            self.confirm("a weight is negative", weights=seen.brief())
        elif not _sums_to_one(weights):
            self.raw(weights, seen)
        else:
            self.upheld()

    def raw(self, weights, seen):
        """Checks non-negative weights that do not sum to 1."""
        makers = made_of(weights)
        if not makers:
            self.unsure("no weight was negative, and their origin was not seen")
        elif not makers.intersection(PROPORTIONS):
            distance = _distance(weights)
            if distance > 0.01:
                self.confirm(
                    "the weights are logits (from %s), and actions are drawn in proportion to them" % ", ".join(sorted(makers)),
                    weights=seen.brief(), total_variation_to_softmax=round(distance, 4),
                )
        else:
            self.upheld(not makers.intersection(SCORES))

    def failed(self, error):
        text = str(error)
        return "the draw raised: %s" % text.splitlines()[0] if any(r in text for r in REFUSALS) else None

    def holds(self):
        return "the weights were proportions at every draw"


def _sums_to_one(weights):
    return bool(((weights.sum(-1) - 1).abs() < 1e-3).all())


def _distance(weights):
    """Returns the largest total variation of a row between the drawn distribution and the softmax."""
    weights = weights.detach().double()
    drawn = weights / weights.sum(-1, keepdim=True)
    return float((drawn - weights.softmax(-1)).abs().sum(-1).max() / 2)
