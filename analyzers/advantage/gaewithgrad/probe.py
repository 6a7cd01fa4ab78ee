"""ADV017: whether the accumulated advantages carry the critic's gradients into a loss.

An accumulated advantage from which a trained parameter can be reached, and which a
backward brings a gradient that is not zero, confirms. Advantages that need no gradient
refute.
"""

from rlvet_harness.gradients import CarriesGradient


class GaeWithGrad(CarriesGradient):
    """Watches the accumulation."""

    enough = 20
    confirmed_as = "the loss sends a gradient through the accumulated advantage into trained parameters"
