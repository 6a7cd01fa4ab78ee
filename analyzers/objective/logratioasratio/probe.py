"""OBJ001: checks the value that is used as the importance ratio.

At the first update on a rollout the policies are equal: a ratio is 1 there, a log-ratio is
0. The table of the first mini-epochs explains why a ratio drifts from 1 later.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.graph import reaches

# Log-probabilities of a whole answer are some hundreds, and float32 rounds these to 1e-5:
# a difference below this proves nothing.
ROUNDING = 1e-3


class LogRatioAsRatio(Probe):
    """Watches the difference of log-probabilities that is used as a ratio."""

    enough = 1
    needs = "numbers that are all around 1 at the first update, and never below 0"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.first = None
        self.near_one = False  # whether all numbers were, at the first evaluation

    def hit(self, hit):
        ratio = numbers(hit.value)
        if ratio is None or ratio.count == 0 or ratio.mean is None:
            return
        if self.first is None:
            self.first = ratio.mean
            self.near_one = not ratio.bad and max(abs(ratio.low - 1), abs(ratio.high - 1)) < 0.05
        value = hit.value
        outside = float(((value < 0.8) | (value > 1.2)).float().mean()) if hasattr(value, "float") else None
        self.show(ratio=ratio.brief(), outside_of_0_8_to_1_2=outside)
        self.plot(
            taken_for_the_ratio=ratio.mean, low=ratio.low, high=ratio.high, ought=1 if hit.index == 0 else None,
            share_clipped_at_20_percent=outside, KL_to_old_policy=self.kl(value),
        )
        if max(abs(ratio.low + 1), abs(ratio.high + 1)) < ROUNDING:
            self.judge(value, "it is -1 everywhere", ratio)
        elif ratio.low < -ROUNDING:
            self.judge(value, "it is negative, and a ratio never is", ratio)
        elif abs(ratio.mean) < 0.05 and hit.index == 0:
            self.judge(value, "it is %.3g at the first update, where a ratio is 1" % (round(ratio.mean, 3) + 0.0), ratio)
        elif self.near_one and ratio.low >= 0:
            self.upheld()

    def judge(self, value, reason, ratio):
        """Confirms; where the difference was claimed and not found, only if the loss is made of it
        and of no exponential of it."""
        if not self.target["claimed"]:
            return self.confirm(reason, ratio=ratio.brief())
        if not getattr(value, "requires_grad", False):
            return self.unsure("it carries no gradient: whether it is used as a ratio is not seen")
        self.run.before_backward.append(lambda loss: self.guarded(self.used, loss, value, reason, ratio))

    def used(self, loss, value, reason, ratio):
        raw, as_exponent = reaches(loss, value, "Exp")
        if raw and not as_exponent:
            self.confirm(reason, ratio=ratio.brief())
        else:
            self.unsure("the loss is not made of it as of a ratio: %s" % ("its exponential is taken" if as_exponent else "it is not in the loss"))

    def kl(self, value):
        """Returns the estimate ratio - 1 - log(ratio) of the KL between the policies, or None.
        A value near 0 at the first update is the log-ratio."""
        if not hasattr(value, "expm1"):
            return None
        value = value.detach().double()
        logs = value if abs(self.first) < 0.5 else value.log()
        return float((logs.expm1() - logs).mean())

    def holds(self):
        return "it was %.3g at the first update, as a ratio is" % self.first
