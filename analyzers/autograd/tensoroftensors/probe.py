"""GRAD001: whether gradients flow through the copied tensors.

It confirms if a backward pass reaches no parameter behind the copy, or is called on a loss
without a gradient. A value that carries gradients refutes.
"""

from rlvet_harness.gradients import CutOff


class TensorOfTensors(CutOff):
    """Watches the new tensor."""

    needs = "a value that carries gradients"
