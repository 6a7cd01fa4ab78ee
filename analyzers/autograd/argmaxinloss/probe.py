"""GRAD014: whether gradients flow through the index.

It confirms if a backward pass reaches no parameter behind the index, or is called on a
loss without a gradient. A value that carries gradients refutes.
"""

from rlvet_harness.gradients import CutOff


class ArgmaxInLoss(CutOff):
    """Watches the index."""

    needs = "a value that carries gradients"
