"""VAL098: whether what a target counts is an index.

Confirmed if the flagged value holds integers.
"""

from rlvet_harness import Probe


class IndexAsValue(Probe):
    """Watches the value of what comes next."""

    enough = 1
    needs = "values that are no whole numbers"

    def hit(self, hit):
        value = getattr(hit.value, "indices", hit.value) if isinstance(hit.value, tuple) else hit.value
        if not hasattr(value, "dtype"):
            self.unsure("the value was not seen")
        elif not value.is_floating_point():
            self.confirm("the value is an index", largest=int(value.max()))
        else:
            self.upheld(bool((value != value.round()).any()))

    def holds(self):
        return "the value was a number of its own"
