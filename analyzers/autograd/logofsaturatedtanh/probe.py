"""GRAD021: the logarithm, or the inverse of the tanh; an infinite element confirms."""

from rlvet_harness import Probe, numbers


class LogOfSaturatedTanh(Probe):
    """Watches log(1 - tanh(x)**2)."""

    needs = "a logarithm of numbers"

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is None or seen.count == 0:
            return
        self.show(result=seen.brief())
        if seen.inf:
            self.confirm("the tanh is exactly 1 and the result infinite", elements=seen.inf)
        else:
            self.upheld(seen.low is not None)

    def holds(self):
        return "the result was finite"
