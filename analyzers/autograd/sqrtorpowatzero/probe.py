"""GRAD009: the gradients that come to the root, and those that it hands back.

An infinite one, or a NaN, that it hands back where a finite one came confirms. Twenty
backwards without one refute.
"""

from rlvet_harness.gradients import HandsBack


class SqrtOrPowAtZero(HandsBack):
    """Watches a root."""

    counted = "infinite"
    confirmed_as = "its gradient is infinite or NaN, though the one that came to it is finite"

    def spoilt(self, gradient):
        return ~gradient.isfinite()

    def holds(self):
        return "all gradients through it were finite"
