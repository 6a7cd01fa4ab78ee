"""OBJ007: whether the old log-probability carries gradients.

One from which a trained parameter can be reached, and which a backward brings a gradient
that is not zero, confirms. One that needs no gradient, or that reaches parameters only
that no optimizer changes, refutes.
"""

from rlvet_harness.gradients import CarriesGradient


class OldLogpCarriesGrad(CarriesGradient):
    """Watches the log-probability under the policy that acted."""

    confirmed_as = "the loss sends a gradient through the old log-probability into trained parameters"
