"""DIST070: what nll_loss takes for log-probabilities.

Confirmed if none of the numbers is negative and some are between 0 and 1: the logarithm of a probability is at most 0.
"""

from rlvet_harness import Probe, numbers


class NllOfProbs(Probe):
    """Watches the first argument of nll_loss."""

    enough = 3

    def hit(self, hit):
        seen = numbers(hit.part("input", "arg0"))
        if seen is None or seen.count == 0:
            return
        self.show(input=seen.brief())
        if not seen.bad and not seen.negative and seen.high > 0:
            self.confirm("nll_loss was given numbers above 0, which no log-probability is", input=seen.brief())

    def holds(self):
        return "nll_loss was given negative numbers"
