"""ADV024: the standard deviation that is compared.

It confirms where that is not 0 though the values can hardly differ: it is below a millionth.
"""

from rlvet_harness import Probe, numbers


class StdComparedToZero(Probe):
    """Watches std == 0."""

    needs = "a standard deviation of equal values, which is 0"

    def hit(self, hit):
        seen = numbers(hit.part("left") if "left" in hit.parts else hit.argument(0, "input"))
        if seen is None or seen.count == 0 or seen.low is None:
            return
        self.show(std=seen.brief())
        if 0 < seen.low < 1e-6:
            self.confirm("the std of equal values is not 0, but rounding", std=seen.low)
        elif seen.low == 0:
            self.upheld()

    def holds(self):
        return "no std was between 0 and 1e-6"
