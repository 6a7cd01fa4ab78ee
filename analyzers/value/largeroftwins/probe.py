"""VAL092: which of two critics counts.

Confirmed if the flagged value is the larger of both arguments, refuted if it is the smaller one.
"""

from rlvet_harness import Probe


class LargerOfTwins(Probe):
    """Watches the choice between two critics."""

    enough = 3
    needs = "two critics that differ, and the smaller one of both"

    def hit(self, hit):
        a, b = hit.part("arg0", "receiver"), hit.part("arg1")
        if not hasattr(a, "shape") or not hasattr(b, "shape"):
            self.unsure("what the choice is between was not seen as two arguments")
        elif not bool((a != b).any()):
            self.unsure("the critics were not seen to differ")
        elif bool((hit.value >= a).all()) and bool((hit.value >= b).all()):
            self.confirm("the larger one counts", apart=float((a - b).abs().mean()))
        else:
            self.upheld(bool((hit.value <= a).all()) and bool((hit.value <= b).all()))

    def holds(self):
        return "the smaller one counted"
