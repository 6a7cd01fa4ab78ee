"""DIST070: what nll_loss takes for log-probabilities.

Confirmed if some of the numbers are above 0: the logarithm of a probability is at most 0. Refuted by logarithms of probabilities that sum to 1.
"""

from rlvet_harness import Probe, numbers

ROUNDING = 1e-4  # log_softmax in half precision


class NllOfProbs(Probe):
    """Watches the first argument of nll_loss."""

    enough = 3
    needs = "numbers whose exponentials sum to 1"

    def hit(self, hit):
        given = hit.part("input", "arg0")
        seen = numbers(given)
        if seen is None or seen.count == 0:
            return
        self.show(input=seen.brief())
        if not seen.bad and seen.high > ROUNDING:
            self.confirm("nll_loss was given numbers above 0, which no log-probability is", input=seen.brief())
        elif hasattr(given, "exp") and len(given.shape) > 0:
            self.upheld(bool(((given.detach().double().exp().sum(1 if len(given.shape) > 1 else 0) - 1).abs() < 1e-2).all()))

    def holds(self):
        return "nll_loss was given no number above 0"
