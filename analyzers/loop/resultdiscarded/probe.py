"""LOOP050: whether the result that is dropped differs from the argument."""

from rlvet_harness import Probe
from rlvet_harness.observe import is_array, is_tensor


class ResultDiscarded(Probe):
    """Watches the call or operation whose result goes nowhere."""

    needs = "an argument beside the result"

    def hit(self, hit):
        before = hit.part("left") if "left" in hit.parts else hit.argument(0, "input", "a")
        if before is None:
            self.unsure("the argument was not seen")
        elif differs(before, hit.value):
            self.confirm("the result differs from the argument, which stays as it was")
        else:
            self.upheld()

    def holds(self):
        return "the result was the same as the argument"


def differs(x, y):
    """Reports whether two values are not the same in kind, shape, dtype, device or content."""
    if is_tensor(x) and is_tensor(y):
        same = x.shape == y.shape and x.dtype == y.dtype and x.device == y.device
        return not same or not bool(((x == y) | ((x != x) & (y != y))).all())
    if is_array(x) and is_array(y):
        same = x.shape == y.shape and x.dtype == y.dtype
        return not same or not bool(((x == y) | ((x != x) & (y != y))).all())
    if is_tensor(x) or is_tensor(y) or is_array(x) or is_array(y):
        return True
    if not hasattr(x, "__iter__"):
        return x != y
    return list(x) != list(y)
