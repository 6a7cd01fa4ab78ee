"""TOK026: whether a mean was divided by a count above 1."""

from rlvet_harness import Probe, numbers


class CountDividedTwice(Probe):
    """Watches a quotient and its divisor."""

    needs = "a dividend that is told from a mean, which the probe does not have"

    def hit(self, hit):
        mean, count = numbers(hit.part("left", "arg0", "receiver")), numbers(hit.part("right", "arg1", "arg0"))
        if mean is None or count is None or count.high is None:
            return
        self.show(mean=mean.brief(), divisor=count.high)
        if count.high > 1.5:
            self.confirm("a mean over the tokens was divided by their number", divisor=count.high)

    def holds(self):
        return "the divisor was never above 1"
