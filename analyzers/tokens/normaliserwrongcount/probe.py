"""TOK013: whether zeros at the ends of rows counted in a mean.

The values that were reduced hold exact zeros at the end of a row, and what came out is their plain
mean: that confirms. A result that is another number refutes.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class NormaliserWrongCount(Probe):
    """Watches a mean and what it is of."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.padded = 0

    def hit(self, hit):
        x = hit.part("receiver", "arg0")
        if not is_tensor(hit.value) or not is_tensor(x) or x.dim() < 1 or x.shape[-1] < 2:
            return
        x, out = x.detach().double(), hit.value.detach().double()
        zeros = x[..., -1] == 0
        if not bool(zeros.any()) or not bool((x != 0).any()):
            return
        self.padded += 1
        mean = x.mean(-1) if out.dim() else x.mean()
        share = float(zeros.double().mean())
        self.show(rows_that_end_in_zeros=share)
        if mean.shape == out.shape and bool(((mean - out).abs() <= 1e-6 * (1 + mean.abs())).all()):
            self.confirm("zeros at the ends of rows counted in the mean", rows=share)

    def end(self):
        if not self.padded:
            self.unsure("no row ended in zeros")

    def holds(self):
        return "zeros at the ends of rows did not count"
