"""RWD011: whether arithmetic gets None."""

from rlvet_harness import Probe


class NoneAsNumber(Probe):
    """Watches the operand."""

    enough = 3
    scores = True

    def hit(self, hit):
        if hit.value is None:
            self.confirm("the operand is None")

    def holds(self):
        return "the operand was a number"
