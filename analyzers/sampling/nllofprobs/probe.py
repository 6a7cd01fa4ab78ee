"""DIST070: what nll_loss takes for log-probabilities.

Confirmed if some of the numbers are above 0: the logarithm of a probability is at most 0.
"""

from rlvet_harness import Probe, numbers

ROUNDING = 1e-4  # log_softmax in half precision


class NllOfProbs(Probe):
    """Watches the first argument of nll_loss."""

    enough = 3

    def hit(self, hit):
        seen = numbers(hit.part("input", "arg0"))
        if seen is None or seen.count == 0:
            return
        self.show(input=seen.brief())
        if not seen.bad and seen.high > ROUNDING:
            self.confirm("nll_loss was given numbers above 0, which no log-probability is", input=seen.brief())

    def holds(self):
        return "nll_loss was given no number above 0"
