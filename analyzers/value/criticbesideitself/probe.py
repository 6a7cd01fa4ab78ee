"""VAL093: whether two critics ever differ.

Confirmed if both arguments are equal, element by element, at several evaluations. One that differs refutes.
"""

from rlvet_harness import Probe


class CriticBesideItself(Probe):
    """Watches the choice between two values."""

    enough = 3
    needs = "two critics that differ"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.equal = self.apart = 0

    def hit(self, hit):
        a, b = hit.part("arg0", "receiver"), hit.part("arg1")
        if not hasattr(a, "shape") or not hasattr(b, "shape"):
            self.unsure("the values were not seen")
        elif bool((a == b).all()):
            self.equal += 1
            if self.equal >= self.enough and not self.apart:
                self.confirm("both values were equal at all elements", elements=int(a.numel()))
        else:
            self.apart += 1
            self.upheld()

    def holds(self):
        return "the two values differed"
