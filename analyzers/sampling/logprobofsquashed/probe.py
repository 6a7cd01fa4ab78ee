"""DIST029: the mean log-density of the actions, and what it is of the distribution's own draws.

The mean log-density of draws is the negative entropy, whatever the distribution. Confirmed if that of the actions differs from
it by more than five standard errors (that of a normal log-density is sqrt(1/2) a dimension). Refuted if it does not over the run, and five standard
errors are small.
"""

import math

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor

SMALL = 0.2  # a dimension


class LogprobOfSquashed(Probe):
    """Watches the log-density of an action."""

    enough = 1
    needs = "so many actions that their mean log-density is known to within 0.2 a dimension"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.gaps, self.count, self.dims = 0.0, 0, 1  # over the run

    def hit(self, hit):
        dist, value = hit.parts.get("receiver"), hit.value
        if dist is None or not hasattr(dist, "entropy") or not is_tensor(value) or value.numel() < 16:
            self.unsure("too few actions were seen at once")
            return
        gap = value.detach() + dist.entropy().detach()
        action = hit.part("arg0", "value")
        dims = max(1, action.numel() // value.numel()) if is_tensor(action) else 1
        error = math.sqrt(0.5 * dims / value.numel())
        mean = float(gap.mean())
        self.show(gap=mean, error=error)
        if abs(mean) > 5 * error:
            self.confirm("the mean log-density is not that of draws of the distribution", gap=mean, error=error)
        self.gaps, self.count, self.dims = self.gaps + float(gap.sum()), self.count + value.numel(), dims

    def end(self):
        if not self.count:
            return
        mean, error = self.gaps / self.count, math.sqrt(0.5 * self.dims / self.count)
        self.upheld(abs(mean) + 5 * error < SMALL * self.dims)

    def holds(self):
        return "the log-densities were those of draws of the distribution"
