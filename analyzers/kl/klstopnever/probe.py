"""KL021: the comparison; it confirms if the bound is exceeded by the estimate with the other sign, and the comparison is false."""

from rlvet_harness import Probe, numbers

SURE = 3  # standard errors above 0 that no estimate with the wrong sign has on average


class KlStopNever(Probe):
    """Watches mean(new - old) > bound."""

    needs = "an estimate whose average is clearly above 0, beside a bound"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.sides = [], []  # the numbers of either side

    def hit(self, hit):
        left, right = numbers(hit.part("left")), numbers(hit.part("right"))
        if left is None or right is None or left.count != 1 or right.count != 1 or left.mean is None or right.mean is None:
            return
        self.show(left=left.mean, right=right.mean)
        large, bound = (left.mean, right.mean) if left.mean <= right.mean else (right.mean, left.mean)
        if bound > 0 and -large > bound:
            self.confirm("the policy is beyond the bound, and the estimate is negative", estimate=large, bound=bound)
        self.sides[0].append(left.mean)
        self.sides[1].append(right.mean)

    def end(self):
        for estimates, bounds in (self.sides, self.sides[::-1]):
            n = len(estimates)
            if n < 2 or len(set(bounds)) > 1 or bounds[0] <= 0 or len(set(estimates)) == 1:
                continue
            mean = sum(estimates) / n
            spread = (sum((e - mean) ** 2 for e in estimates) / (n - 1) / n) ** 0.5
            if mean > SURE * spread:
                self.upheld(n)

    def holds(self):
        return "the estimate was positive on average, as a divergence is"
