"""LOOP004: what is looked at while the program runs.

Say here what confirms the finding, and what refutes it.
"""

from rlvet_harness import Probe


class ClipAfterStep(Probe):
    """Watches the flagged expression."""

    def hit(self, hit):
        self.unsure("the probe looks at nothing yet")
