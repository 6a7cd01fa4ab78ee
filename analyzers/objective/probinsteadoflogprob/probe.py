"""OBJ070: what the return or advantage is multiplied by.

Confirmed if the factor that carries the gradient is above 0 and at most 1. Log-probabilities, which are at most 0, refute.
"""

from rlvet_harness import Probe, numbers


class ProbInsteadOfLogprob(Probe):
    """Watches a product."""

    enough = 1
    needs = "a factor with a gradient that is never positive"

    def hit(self, hit):
        for name in ("left", "right", "receiver", "arg0", "arg1"):
            factor = hit.parts.get(name)
            if not getattr(factor, "requires_grad", False):
                continue
            seen = numbers(factor)
            if seen is None or not seen.count:
                continue
            self.show(factor=seen.brief())
            if not seen.bad and 0 < seen.low and seen.high <= 1:
                self.confirm("the factor with the gradient is a probability", factor=seen.brief())
            elif not seen.bad and seen.low < 0 and seen.high <= 0:
                self.upheld()

    def holds(self):
        return "the factor with the gradient was no probability"
