"""DIST021: the mean, and the mean times zero.

A NaN in the product with a factor of 0 confirms: the mean was not finite there, and the
scale is NaN as well. A product without one although the mean was not finite refutes. A run
in which the mean stays finite neither confirms nor refutes.
"""

from rlvet_harness import Probe, numbers


class StdViaMeanTimesZero(Probe):
    """Watches mean * 0."""

    enough = 1

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
            self.confirm("the product is NaN where the mean is not finite, and with it the scale", product=product.brief())

    def end(self):
        if not self.infinite:
            self.unsure("the mean was finite at every evaluation: the product does harm only where it is not")

    def holds(self):
        return "where the mean was not finite, no NaN came of a factor of 0"
