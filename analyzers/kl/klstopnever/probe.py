"""KL021: the comparison; it confirms if the bound is exceeded by the estimate with the other sign, and the comparison is false."""

from rlvet_harness import Probe, numbers


class KlStopNever(Probe):
    """Watches mean(new - old) > bound."""

    def hit(self, hit):
        left, right = numbers(hit.part("left")), numbers(hit.part("right"))
        if left is None or right is None or left.count != 1 or right.count != 1 or left.mean is None or right.mean is None:
            return
        self.show(left=left.mean, right=right.mean)
        large, bound = (left.mean, right.mean) if left.mean <= right.mean else (right.mean, left.mean)
        if bound > 0 and -large > bound:
            self.confirm("the policy is beyond the bound, and the estimate is negative", estimate=large, bound=bound)

    def holds(self):
        return "the estimate was never beyond the bound with either sign"
