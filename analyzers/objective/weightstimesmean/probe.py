"""OBJ030: how many numbers the two factors of a product hold.

Confirmed if one number, through which gradients flow, is multiplied by several different weights. A number for each weight refutes.
"""

from rlvet_harness import Probe, numbers


class WeightsTimesMean(Probe):
    """Watches a product."""

    enough = 1
    needs = "several different weights, and a factor with a gradient"

    def hit(self, hit):
        factors = [hit.parts[name] for name in ("left", "right", "receiver", "arg0", "arg1") if name in hit.parts]
        trained = [f for f in factors if getattr(f, "requires_grad", False)]
        fixed = [f for f in factors if not getattr(f, "requires_grad", False)]
        if len(trained) != 1 or len(fixed) != 1:
            return
        one, weights = numbers(trained[0]), numbers(fixed[0])
        if one is None or weights is None or weights.count < 2 or weights.low == weights.high:
            return
        if one.count == 1:
            self.confirm(f"{weights.count} different weights multiply one number", weights=weights.brief())
        elif one.count == weights.count:
            self.upheld()

    def holds(self):
        return "each weight multiplied a number of its own"
