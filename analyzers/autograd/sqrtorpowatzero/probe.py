"""GRAD009: the incoming and outgoing gradient of the root.

It confirms if a finite incoming gradient becomes infinite or NaN. Twenty backward passes
without one refute.
"""

from rlvet_harness.gradients import HandsBack


class SqrtOrPowAtZero(HandsBack):
    """Watches a root."""

    needs = "a gradient through the root"
    counted = "infinite"
    confirmed_as = "its gradient is infinite or NaN although the incoming one is finite"

    def spoilt(self, gradient):
        return ~gradient.isfinite()

    def holds(self):
        return "all gradients through it were finite"
