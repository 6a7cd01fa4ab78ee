"""GRAD008: the incoming and outgoing gradient of the operation.

It confirms if an incoming gradient without NaN becomes NaN. Twenty backward passes without
one refute.
"""

from rlvet_harness.gradients import HandsBack


class WhereNanGrad(HandsBack):
    """Watches an operation with a singular point."""

    needs = "a gradient through the operation"
    counted = "nan"
    confirmed_as = "its gradient is NaN although the incoming one is not"

    def spoilt(self, gradient):
        return gradient.isnan()

    def holds(self):
        return "no gradient through it was NaN"
