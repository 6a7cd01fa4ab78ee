"""VAL004: the parameters of the target network.

It confirms if an optimizer of the program changes a parameter of what is assigned as the
target. If there were optimizer steps and none did, it refutes.
"""

from rlvet_harness.aliases import TrainedAlias


class TargetAliasesOnline(TrainedAlias):
    """Watches the value assigned as the target network."""

    needs = "parameters that no optimizer holds, and steps of optimizers"

    what = "target"
