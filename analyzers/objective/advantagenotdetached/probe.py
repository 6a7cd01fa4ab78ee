"""OBJ011: checks whether the advantage in the policy loss carries gradients.

Confirmed if a trained parameter can be reached from the advantage and a backward pass brings
it a gradient that is not zero. Refuted if it needs no gradient, or reaches only parameters
that nothing trains, neither an optimizer nor the program by hand.
"""

from rlvet_harness.gradients import CarriesGradient


class AdvantageNotDetached(CarriesGradient):
    """Watches the advantage where it weights the log-probability."""

    needs = "advantages in numbers that carry no gradient, or none to what is trained"
    confirmed_as = "the loss sends a gradient through the advantage into trained parameters"
