"""TOK008: whether the divisor of a masked mean was 0, and the mean NaN."""

from rlvet_harness import Probe, numbers


class MaskedMeanNoGuard(Probe):
    """Watches a quotient and its divisor."""

    needs = "the divisor and the mean in numbers"

    def hit(self, hit):
        divisor, out = numbers(hit.part("right", "arg0")), numbers(hit.value)
        if divisor is None or out is None:
            return
        self.show(empty=divisor.zeros, mean=out.brief())
        if divisor.zeros and out.bad:
            self.confirm("the mask was empty and the mean is NaN", empty=divisor.zeros)
        elif divisor.count and out.count and not out.bad:
            self.upheld()

    def holds(self):
        return "the divisor was never 0"
