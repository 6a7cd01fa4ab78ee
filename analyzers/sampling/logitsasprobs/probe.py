"""DIST001: checks whether the probabilities passed to a distribution are probabilities.

Confirmed if an element is negative, or if the distribution rejects its arguments. Also
confirmed if non-negative rows do not sum to 1 and the run shows that they come from neither
a softmax nor another normalisation. Refuted by probabilities, and by weights that come from
one of those.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.trace import PROPORTIONS, SCORES, made_of


class LogitsAsProbs(Probe):
    """Watches the probs of Categorical, OneHotCategorical and Bernoulli."""

    needs = "numbers passed as probabilities, or as `logits`"

    follows = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.looked = 0

    def hit(self, hit):
        if "logits" in hit.parts:
            self.looked += 1
            self.upheld()
            return
        given = hit.part("probs", "arg0")
        seen = numbers(given)
        if seen is None or seen.count == 0:
            return
        self.looked += 1
        self.show(probs=seen.brief())
        self.plot(smallest_probability=seen.low)
        if seen.negative:
            self.confirm("a probability passed to the distribution is negative", probs=seen.brief())
        elif seen.high > 1 + 1e-4 or len(seen.shape) and "Bernoulli" not in self.target["text"] and not _sums_to_one(given):
            self.raw(given, seen)
        else:
            self.upheld()

    def raw(self, given, seen):
        makers = made_of(given)
        if not makers:
            self.unsure("no element was negative, and their origin was not seen")
        elif not makers.intersection(PROPORTIONS):
            self.confirm("logits (from %s) are passed as probabilities" % ", ".join(sorted(makers)), probs=seen.brief())
        else:
            self.upheld(not makers.intersection(SCORES))

    def failed(self, error):
        text = str(error)
        if isinstance(error, ValueError) and "parameter probs" in text and ("Simplex" in text or "Interval" in text or "unit_interval" in text):
            return "the distribution rejected the values as probabilities"
        return None

    def end(self):
        if self.looked == 0:
            self.unsure("the argument of the distribution could not be read")

    def holds(self):
        return "the argument was probabilities, or was passed as `logits`"


def _sums_to_one(values):
    return bool(((values.sum(-1) - 1).abs() < 1e-3).all())
