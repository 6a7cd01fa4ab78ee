"""GRAD011: the product; a NaN that its factors do not have confirms."""

from rlvet_harness import Probe, numbers


class PLogP(Probe):
    """Watches p * log p."""

    needs = "a product of numbers"

    def hit(self, hit):
        product = numbers(hit.value)
        factors = [numbers(v) for v in (hit.part("left", "receiver"), hit.part("right", "arg0"))]
        if product is None or product.count == 0:
            return
        self.show(product=product.brief())
        self.plot(nan=product.nan)
        if product.nan and not any(f is not None and f.nan for f in factors):
            self.confirm("0 * -inf is NaN", elements=product.nan, product=product.brief())
        else:
            self.upheld(product.low is not None and not product.nan)

    def holds(self):
        return "no product was NaN"
