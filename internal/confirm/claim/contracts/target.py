"""target: a constant of the value loss: finite, and no gradient flows through it into what is trained.

Source: Mnih et al. 2015, Human-level control through deep reinforcement learning, eq. 2; Sutton and Barto 2018, section 9.3.
"""

from rlvet_harness import numbers
from rlvet_harness.gradients import CarriesGradient


class Target(CarriesGradient):
    """Watches what a value or a Q-value is fitted to."""

    needs = "finite numbers that carry no gradient, or get one by a backward"
    confirmed_as = "the loss sends a gradient through the target into trained parameters"

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is not None and seen.bad:
            self.confirm("%d of %d numbers are NaN or infinite" % (seen.bad, seen.count), value=seen.brief())
        super().hit(hit)
