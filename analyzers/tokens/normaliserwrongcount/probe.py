"""TOK013: whether zeros at the ends of rows counted in a mean.

The values that were reduced are exactly zero where a mask ends a row, and what came out is their plain mean: that confirms. A result
that is another number refutes. Zeros that no mask made may be of rounding, as those of a KL of two policies that agree, and prove nothing.
"""

from rlvet_harness import Probe
from rlvet_harness.masks import as_flags, masks_near
from rlvet_harness.observe import is_tensor

FACTORS = ("receiver_left", "receiver_right", "arg0_left", "arg0_right")


class NormaliserWrongCount(Probe):
    """Watches a mean and what it is of."""

    needs = "rows that end in zeros where a mask in sight is 0, and a mean that is not the plain one"
    deep = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.zeros = self.padded = 0

    def hit(self, hit):
        x = hit.argument(0)
        if not is_tensor(hit.value) or not is_tensor(x) or x.dim() < 1 or x.shape[-1] < 2:
            return
        x, out = x.detach().double(), hit.value.detach().double()
        if not bool((x[..., -1] == 0).any()) or not bool((x != 0).any()):
            return
        self.zeros += 1
        name, rows = self.mask_of(hit, x)
        if name is None:
            return
        self.padded += 1
        mean = x.mean(-1) if out.dim() else x.mean()
        share = float(rows.double().mean())
        self.show(rows_that_end_in_zeros=share)
        if mean.shape == out.shape and bool(((mean - out).abs() <= 1e-6 * (1 + mean.abs())).all()):
            self.confirm("zeros at the ends of rows, where %s is 0, counted in the mean" % name, rows=share)
        elif mean.shape == out.shape:
            self.upheld()

    def mask_of(self, hit, x):
        """Returns what a mask is called that ends rows where the values are zero, and which rows it ends."""
        near = (("`%s`" % name, keep) for name, keep in masks_near(self.frame(), x))
        for name, keep in [*near, *_factors(hit, x)]:
            rows = keep.any(-1) & ~keep[..., -1]
            if bool(rows.any()) and bool((x[~keep] == 0).all()):
                return name, rows
        return None, None

    def end(self):
        if not self.zeros:
            self.unsure("no row ended in zeros")
        elif not self.padded:
            self.unsure("rows ended in zeros, and no mask near them is 0 there")

    def holds(self):
        return "zeros at the ends of rows did not count"


def _factors(hit, x):
    """Yields the factors of zeros and ones in a product, as masks of its shape."""
    for value in map(hit.parts.get, FACTORS):
        flags = as_flags(value.detach()) if is_tensor(value) else None
        if flags is not None and flags.dim() <= x.dim() and all(n in (1, m) for n, m in zip(reversed(flags.shape), reversed(x.shape))):
            yield "a factor", flags.expand_as(x)
