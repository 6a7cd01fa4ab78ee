"""GRAD002: whether what became a number hands gradients on.

A number behind which a backward reaches no parameter confirms, and so does a backward on
a loss without gradient. A value that carries gradients refutes.
"""

from rlvet_harness.gradients import CutOff


class ItemInLoss(CutOff):
    """Watches the number."""
