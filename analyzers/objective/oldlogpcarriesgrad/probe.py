"""OBJ007: checks whether the old log-probability carries gradients.

Confirmed if a trained parameter can be reached from it and a backward pass brings it a
gradient that is not zero. Refuted if it needs no gradient, or reaches only parameters that no
optimizer changes.
"""

from rlvet_harness.gradients import CarriesGradient


class OldLogpCarriesGrad(CarriesGradient):
    """Watches the log-probability under the old policy."""

    confirmed_as = "the loss sends a gradient through the old log-probability into trained parameters"
