"""DIST021: the mean, and the mean times zero.

A NaN in the product confirms: the mean was not finite there, and the scale is NaN as well.
A run in which the mean stays finite neither confirms nor refutes.
"""

from rlvet_harness import Probe, numbers


class StdViaMeanTimesZero(Probe):
    """Watches mean * 0."""

    def hit(self, hit):
        product = numbers(hit.value)
        if product is None:
            return
        self.show(product=product.brief())
        if product.nan:
            self.confirm("the product is NaN where the mean is not finite, and with it the scale", product=product.brief())

    def end(self):
        if "*" in self.target["text"]:
            self.unsure("the mean was finite at every evaluation: the product does harm only where it is not")

    def holds(self):
        return "the product was finite at every evaluation"
