"""ADV021: the spread of the quotient.

Standardised values have a spread of one. It confirms if that of the quotient is another and the denominator is the variance.
"""

from rlvet_harness import Probe


class DividedByVariance(Probe):
    """Watches centred values over their variance."""

    enough = 3
    needs = "values with a std other than 1, and a quotient whose std is 1"

    def hit(self, hit):
        value = hit.value
        centred = hit.part("left") if "left" in hit.parts else hit.argument(0, "input")
        if not all(hasattr(x, "std") and hasattr(x, "reshape") for x in (value, centred)):
            self.unsure("the quotient is no tensor")
            return
        if len(value.reshape(-1)) < 2:
            return
        spread, before = float(value.std()), float(centred.std())
        if not 0 < before < float("inf"):
            return
        self.show(before=before, after=spread)
        if abs(spread - 1) > 0.2 and abs(spread * before - 1) < 0.3:
            self.confirm("the standardised values have a std other than 1", before=before, after=spread)
        elif abs(spread - 1) <= 0.2 < abs(before - 1):
            self.upheld()

    def holds(self):
        return "the quotient had a std of about 1"
