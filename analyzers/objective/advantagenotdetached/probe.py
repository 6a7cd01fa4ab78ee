"""OBJ011: whether the advantage of the policy's loss carries gradients.

One from which a trained parameter can be reached, and which a backward brings a gradient
that is not zero, confirms. One that needs no gradient, or that reaches parameters only
that no optimizer changes, refutes.
"""

from rlvet_harness.gradients import CarriesGradient


class AdvantageNotDetached(CarriesGradient):
    """Watches the advantage where it weighs the log-probability."""

    confirmed_as = "the loss sends a gradient through the advantage into trained parameters"
