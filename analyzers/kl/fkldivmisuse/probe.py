"""KL005: the arguments of kl_div.

The first must be log-probabilities: a positive element, or rows whose exponentials do not
sum to 1, confirm. The second must be probabilities, or log-probabilities with log_target:
a negative element, or rows that do not sum to 1, confirm. Arguments of the right kind
refute.
"""

from rlvet_harness import Probe, numbers


class FKLDivMisuse(Probe):
    """Watches kl_div's input and target."""

    enough = 1
    needs = "both arguments in numbers, whose rows sum to 1"

    def hit(self, hit):
        first, second = hit.part("input", "arg0"), hit.part("target", "arg1")
        logarithmic = bool(hit.parts.get("log_target", False))
        a, b = numbers(first), numbers(second)
        if a is None or b is None or not a.count or not b.count:
            return
        self.show(input=a.brief(), target=b.brief())
        self.plot(kl_div=numbers(hit.value).mean)
        if a.high > 1e-6:
            self.confirm("the first argument has a positive element, so it does not hold log-probabilities", input=a.brief())
        elif not _sums_to_one(first.exp()):
            self.confirm("the exponentials of the first argument do not sum to 1", input=a.brief())
        elif not logarithmic and b.negative:
            self.confirm("the target has a negative element, so it does not hold probabilities", target=b.brief())
        elif not _sums_to_one(second.exp() if logarithmic else second):
            self.confirm("the target's probabilities do not sum to 1", target=b.brief())
        else:
            self.upheld()

    def holds(self):
        return "the first argument held log-probabilities, and the target was of the declared kind"


def _sums_to_one(values):
    return bool(((values.sum(-1) - 1).abs() < 1e-2).all())
