"""GRAD002: whether gradients flow through the value that became a number.

It confirms if a backward pass reaches no parameter behind the number, or is called on a
loss without a gradient. A value that carries gradients refutes.
"""

from rlvet_harness.gradients import CutOff


class ItemInLoss(CutOff):
    """Watches the number."""

    needs = "a value that carries gradients"
