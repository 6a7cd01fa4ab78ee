"""VAL040: what is added to the rewards of several steps.

That the factor is the one of a single step is known; a run shows that there is something to discount: rewards, and a value behind
them that is not 0.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flat


class BootstrapDiscountedOnce(Probe):
    """Watches the sum of returns and discounted value."""

    enough = 3
    needs = "what no run shows: rewards and a value that are not 0 confirm"

    def hit(self, hit):
        left, right = flat(hit.part("left")), flat(hit.part("right"))
        if left and right and any(left) and any(right):
            self.confirm("a value was added to rewards of several steps, discounted for one", rewards=max(left, key=abs), added=max(right, key=abs))
