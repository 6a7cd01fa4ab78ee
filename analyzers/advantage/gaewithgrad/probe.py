"""ADV017: whether the accumulated advantages carry the critic's gradients into a loss.

It confirms if the graph of an accumulated advantage leads to a trained parameter and a
backward pass gives the advantage a gradient that is not zero. Advantages that need no
gradient refute.
"""

from rlvet_harness.gradients import CarriesGradient


class GaeWithGrad(CarriesGradient):
    """Watches the accumulation."""

    enough = 20
    needs = "advantages in numbers that carry no gradient, or none to what is trained"
    confirmed_as = "the loss sends a gradient through the accumulated advantage into trained parameters"
