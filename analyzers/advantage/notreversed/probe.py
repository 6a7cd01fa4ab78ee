"""ADV007: whether the line is reached in which the returns get into the wrong order.

That nothing turns the order round is known; a run shows that sums are made there, several in a row.
"""

from rlvet_harness import Probe


class NotReversed(Probe):
    """Watches the sum, or the call that keeps it."""

    enough = 3
    needs = "a look at the order of the sums, which the probe does not have"

    def hit(self, hit):
        call = isinstance(self.target["text"], str) and ".append(" in self.target["text"]
        if self.hits >= 2 and (call or hit.part("left", "right") is not None):
            self.confirm("sums of several steps were made in this order")

    def holds(self):
        return "no sum was made"
