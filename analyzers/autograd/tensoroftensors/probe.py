"""GRAD001: whether the tensors that were copied hand gradients on.

A copy behind which a backward reaches no parameter confirms, and so does a backward on
a loss without gradient. A value that carries gradients refutes.
"""

from rlvet_harness.gradients import CutOff


class TensorOfTensors(CutOff):
    """Watches the new tensor."""
