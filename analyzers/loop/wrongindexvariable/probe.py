"""LOOP017: whether a loop takes the same rows in every round."""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor, same_numbers


class WrongIndexVariable(Probe):
    """Watches the rows."""

    enough = 3
    needs = "two rounds in one function, with different rows"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last, self.same, self.of = None, 0, None

    def hit(self, hit):
        value = hit.value
        if not is_tensor(value):
            self.unsure("the rows are no tensor")
            return
        of = self.frame().f_code, id(self.frame())
        beside = self.last is not None and of == self.of
        same = beside and same_numbers(value, self.last)
        self.same = self.same + 1 if same else 0
        self.upheld(beside and not same)
        self.last, self.of = value.detach().clone(), of
        if self.same >= 3:
            self.confirm("four rounds took the same rows")

    def holds(self):
        return "the rows changed from round to round"
