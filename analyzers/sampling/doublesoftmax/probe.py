"""DIST002: checks whether the logits passed are probabilities already.

Confirmed if all rows lie in 0..1 and sum to 1. Refuted by scores of both signs, or whose rows
have different sums.
"""

from rlvet_harness import Probe, numbers


class DoubleSoftmax(Probe):
    """Watches the logits of a distribution, a softmax or a cross entropy."""

    needs = "scores that are no probabilities, nor made of them by a factor or a mask"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.probabilities = self.looked = 0

    def hit(self, hit):
        if "probs" in hit.parts:
            self.looked += 1
            self.upheld()
            return
        given = hit.part("logits", "input")
        if given is None:
            given = hit.argument(0)
        if not hasattr(given, "sum") and "arg0" in hit.parts:
            given = hit.parts["arg0"]  # the receiver is a module: criterion(scores, a)
        seen = numbers(given)
        if seen is None or not seen.shape or seen.shape[-1] < 2:
            return
        self.looked += 1
        self.show(logits=seen.brief())
        self.plot(largest_logit=seen.high)
        if not seen.bad and not seen.negative and seen.high <= 1 + 1e-4 and bool(((given.sum(-1) - 1).abs() < 1e-3).all()):
            self.probabilities += 1
        elif scores(given):
            self.upheld()
        # One row of logits can sum to 1 by chance, several do not.
        if self.probabilities == self.looked and self.probabilities * max(1, seen.count // seen.shape[-1]) >= 3:
            self.confirm("the logits are probabilities: every row lies in 0..1 and sums to 1", logits=seen.brief())

    def end(self):
        if self.looked == 0 or self.probabilities == self.looked:
            self.unsure("too few rows were seen to tell probabilities from logits")

    def holds(self):
        return "the logits did not always sum to 1"


def scores(given):
    """Whether numbers are no probabilities times a factor, of which some may be masked."""
    given = given.detach() if hasattr(given, "detach") else given
    kept = (given > -1e3) & (given < 1e3)
    if bool((kept & (given < 0)).any()):
        return True
    sums = (given * kept).sum(-1).reshape(-1)
    return bool(kept.all()) and float(sums.max() - sums.min()) > 1e-2 * float(sums.max())
