"""OFF017: the error between prediction and target.

It confirms if the error is exactly zero.
"""

from rlvet_harness import Probe


class TargetAliasesPrediction(Probe):
    """Watches the error."""

    enough = 1

    def hit(self, hit):
        value = hit.value
        if not hasattr(value, "detach") or not value.numel():
            self.unsure("the error is no tensor")
        elif not bool((value.detach() != 0).any()):
            self.confirm("the error is exactly zero", elements=value.numel())

    def holds(self):
        return "the error was not zero"
