"""RWD011: whether arithmetic gets None."""

from rlvet_harness import Probe


class NoneAsNumber(Probe):
    """Watches the operand."""

    enough = 3
    needs = "the operand as a number, of answers of all formats"
    scores = True

    def hit(self, hit):
        if hit.value is None:
            self.confirm("the operand is None")
        elif isinstance(hit.value, (int, float)):
            self.upheld()

    def holds(self):
        return "the operand was a number"
