"""DIST021: checks the mean times zero for NaN.

Confirmed if the product with a factor of 0 holds NaN: the mean was not finite there, and the
standard deviation is NaN too. Refuted if the mean was not finite and the product holds no
NaN. Inconclusive if the mean stays finite.
"""

from rlvet_harness import Probe, numbers


class StdViaMeanTimesZero(Probe):
    """Watches mean * 0."""

    enough = 1
    needs = "a mean that is not finite"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.infinite = 0  # evaluations at which a factor was not finite

    def hit(self, hit):
        product = numbers(hit.value)
        factors = [f for f in (numbers(hit.parts.get(name)) for name in ("left", "right")) if f is not None]
        if product is None:
            return
        self.show(product=product.brief())
        self.infinite += any(f.bad for f in factors)
        if product.nan and any(f.count and f.zeros == f.count for f in factors):
            self.confirm("the mean was not finite, and the product and the std are NaN", product=product.brief())
        else:
            self.upheld(any(f.bad for f in factors))

    def end(self):
        if not self.infinite:
            self.unsure("the mean was finite at every evaluation, and the product is harmful only if it is not")

    def holds(self):
        return "the mean was not finite, and the product held no NaN"
