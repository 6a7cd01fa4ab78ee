"""ENV002: whether reset returned a tuple."""

from rlvet_harness import Probe


class ResetNotUnpacked(Probe):
    """Watches the call of reset."""

    enough = 1
    needs = "a reset that returns no tuple"

    def hit(self, hit):
        if isinstance(hit.value, tuple):
            self.confirm("reset returned a tuple of %d" % len(hit.value))
        else:
            self.upheld()

    def holds(self):
        return "reset returned no tuple"
