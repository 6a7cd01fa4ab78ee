"""DIST029: the mean log-density of the actions, and what it is of the distribution's own draws.

The mean log-density of draws is the negative entropy, whatever the distribution. Confirmed if that of the actions differs from
it by more than five standard errors (that of a normal log-density is sqrt(1/2) a dimension). Means within it refute.
"""

import math

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class LogprobOfSquashed(Probe):
    """Watches the log-density of an action."""

    enough = 1

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

    def holds(self):
        return "the log-densities were those of draws of the distribution"
