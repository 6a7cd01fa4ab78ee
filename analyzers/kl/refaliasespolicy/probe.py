"""KL009: the parameters of the reference.

It confirms if an optimizer of the program changes a parameter of the reference: the
reference is trained along. If there were optimizer steps and none did, it refutes.
"""

from rlvet_harness.aliases import TrainedAlias


class RefAliasesPolicy(TrainedAlias):
    """Watches the value assigned as the reference."""

    needs = "parameters of the reference that no optimizer has and that are what they were, after steps of one"
    what = "reference"
    frozen = True
