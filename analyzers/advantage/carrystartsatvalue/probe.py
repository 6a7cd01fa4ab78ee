"""ADV048: what a sum of errors begins with.

A start that is not 0 confirms; 0 refutes, whatever it was read from.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flat


class CarryStartsAtValue(Probe):
    """Watches what is carried on at first."""

    enough = 1
    needs = "numbers with which the sum begins"

    def hit(self, hit):
        start = flat(hit.value)
        if not start:
            return
        if any(start):
            self.confirm("the sum of errors began with a value", start=max(start, key=abs))
        else:
            self.upheld()

    def holds(self):
        return "the sum began with 0"
