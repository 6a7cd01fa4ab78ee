"""GRAD041: whether an older value changes after it was taken.

It confirms if its numbers are others at the next evaluation or at the end of the run than when it was taken.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class OldValueAliases(Probe):
    """Watches the x of old = x."""

    enough = 1
    needs = "an older value that stays, while the one it was taken of becomes another"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.taken = None

    def hit(self, hit):
        self.compare()
        value = hit.value
        if not is_tensor(value) or not value.numel():
            self.unsure("the older value is no tensor")
            return
        if self.taken:
            self.upheld(not same(value.detach(), self.taken[1]))
        self.taken = (value, value.detach().clone())

    def compare(self):
        if self.taken and not same(self.taken[0].detach(), self.taken[1]):
            self.confirm("the older value changed after it was taken", elements=self.taken[1].numel())

    def end(self):
        self.compare()

    def holds(self):
        return "the older value stayed what it was"


def same(a, b):
    """Reports whether two tensors hold the same numbers."""
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())
