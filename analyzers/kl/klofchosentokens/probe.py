"""KL019: the divergence of the drawn tokens.

It confirms if an element of what stands for a divergence is negative: over all tokens a KL is a sum that is not, and an estimate by k3 is not either.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.contract import rows_sum_to_one


class KlOfChosenTokens(Probe):
    """Watches p * (log p - log q)."""

    needs = "probabilities of all tokens beside it, whose rows sum to 1"

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is None or seen.count == 0 or seen.low is None:
            return
        self.show(divergence=seen.brief())
        if any(rows_sum_to_one(hit.parts.get(side)) for side in ("left", "right", "receiver", "arg0", "arg1")):
            self.upheld()
        elif seen.low < 0:
            self.confirm("a part of one sum is taken for the divergence of a token", divergence=seen.brief())

    def holds(self):
        return "no element was negative"
