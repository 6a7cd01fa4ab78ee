"""GRAD040: the memory of the tensor that is written into.

It confirms if elements of it share memory, or if torch refuses the write for that.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class WriteIntoExpanded(Probe):
    """Watches the y of y[i] = x and of y.add_(x)."""

    enough = 1
    needs = "a tensor of which it is plain whether its elements share memory"

    def hit(self, hit):
        value = hit.value
        if not is_tensor(value) or not hasattr(value, "stride"):
            self.unsure("what is written into is no tensor")
            return
        shared = [n for n, step in zip(value.shape, value.stride()) if step == 0 and n > 1]
        if shared:
            self.confirm("%d elements share one place in memory" % _product(shared), shape=list(value.shape))
        else:
            self.upheld(apart(value))

    def failed(self, error):
        if "single memory location" in str(error):
            return "torch refuses the write: elements share memory"
        return None

    def holds(self):
        return "each element had memory of its own"


def apart(value):
    """Reports whether each element has memory of its own: each axis steps over all that the finer ones reach."""
    end = 0
    for step, n in sorted((step, n) for n, step in zip(value.shape, value.stride()) if n > 1):
        if step <= end:
            return False
        end += step * (n - 1)
    return True


def _product(sizes):
    out = 1
    for n in sizes:
        out *= n
    return out
