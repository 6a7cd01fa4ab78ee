"""ENV064: how many values reset returned."""

from rlvet_harness import Probe


class ResetReturnsOneValue(Probe):
    """Watches what reset returns."""

    enough = 1
    needs = "a reset that returns a pair"

    def hit(self, hit):
        if not isinstance(hit.value, tuple) or len(hit.value) != 2:
            self.confirm("reset returned no pair, but a %s" % type(hit.value).__name__)
        else:
            self.upheld()

    def holds(self):
        return "reset returned a pair"
