"""VAL007: whether the loss sends gradients through the target into what is trained.

Confirmed if a trained parameter can be reached from the target and a backward pass brings it a gradient that is not
zero. Refuted if it needs no gradient, or reaches only parameters that nothing trains.
"""

from rlvet_harness.gradients import CarriesGradient


class TargetHasGrad(CarriesGradient):
    """Watches the target."""

    needs = "a target without gradients, or a gradient that it takes to what no optimizer holds"

    confirmed_as = "the loss sends a gradient through the target into trained parameters"
