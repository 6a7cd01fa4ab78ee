"""VAL091: with which sign the value of the next state counts the log-probability.

Confirmed if the flagged expression is the sum of its parts, refuted if it is their difference.
"""

from rlvet_harness import Probe


class SoftTargetSign(Probe):
    """Watches the value of the next state."""

    enough = 3
    needs = "a value that is the difference of its parts"

    def hit(self, hit):
        left, right = hit.part("left"), hit.part("right")
        if not hasattr(hit.value, "shape") or left is None or right is None:
            self.unsure("the parts of the value were not seen")
        elif bool((hit.value - left - right).abs().max() <= 1e-6 * (1 + right.abs().max())):
            self.confirm("the value grows with the log-probability", mean=float(right.mean()))
        else:
            self.upheld(bool((hit.value - left + right).abs().max() <= 1e-6 * (1 + right.abs().max())))

    def holds(self):
        return "the value fell as the log-probability rose"
