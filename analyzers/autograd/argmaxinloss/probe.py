"""GRAD014: whether the index hands gradients on.

An index behind which a backward reaches no parameter confirms, and so does a backward on
a loss without gradient. A value that carries gradients refutes.
"""

from rlvet_harness.gradients import CutOff


class ArgmaxInLoss(CutOff):
    """Watches the index."""
