"""DIST001: what a distribution is given as probabilities.

A negative element confirms, and so does the exception of a distribution that checks its
arguments. Rows that are not negative and do not sum to 1 confirm where the run shows that
they come from neither a softmax nor another normalisation. Probabilities, and weights
seen to come from one of those, refute.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.trace import PROPORTIONS, made_of


class LogitsAsProbs(Probe):
    """Watches the probs of Categorical, OneHotCategorical and Bernoulli."""

    follows = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.looked = 0

    def hit(self, hit):
        if "logits" in hit.parts:
            self.looked += 1
            return
        given = hit.part("probs", "arg0")
        seen = numbers(given)
        if seen is None or seen.count == 0:
            return
        self.looked += 1
        self.show(probs=seen.brief())
        self.plot(smallest_probability=seen.low)
        if seen.negative:
            self.confirm("an element of what is taken for probabilities is negative", probs=seen.brief())
        elif seen.high > 1 + 1e-4 or len(seen.shape) and "Bernoulli" not in self.target["text"] and not _sums_to_one(given):
            self.raw(given, seen)

    def raw(self, given, seen):
        makers = made_of(given)
        if not makers:
            self.unsure("the elements are not negative, and where they come from was not seen")
        elif not makers.intersection(PROPORTIONS):
            self.confirm("raw scores (of %s) are taken for probabilities" % ", ".join(sorted(makers)), probs=seen.brief())

    def failed(self, error):
        text = str(error)
        if isinstance(error, ValueError) and "parameter probs" in text and ("Simplex" in text or "Interval" in text or "unit_interval" in text):
            return "the distribution refused what is no probabilities"
        return None

    def end(self):
        if self.looked == 0:
            self.unsure("what the distribution was given could not be looked at")

    def holds(self):
        return "it was given probabilities, or logits by name"


def _sums_to_one(values):
    return bool(((values.sum(-1) - 1).abs() < 1e-3).all())
