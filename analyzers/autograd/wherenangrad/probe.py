"""GRAD008: the gradients that come to the operation, and those that it hands back.

A NaN that it hands back where the gradient that came to it has none confirms. Twenty
backwards without one refute.
"""

from rlvet_harness.gradients import HandsBack


class WhereNanGrad(HandsBack):
    """Watches an operation with a singular point."""

    counted = "nan"
    confirmed_as = "its gradient is NaN, though the one that came to it is not"

    def spoilt(self, gradient):
        return gradient.isnan()

    def holds(self):
        return "no gradient through it was NaN"
