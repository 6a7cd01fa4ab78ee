"""GRAD020: the clamped values.

An element that is exactly 1 confirms, and clamped ones that come to less refute.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class BoundRoundsToOne(Probe):
    """Watches a clamp."""

    needs = "a value at its upper bound"

    def hit(self, hit):
        value = hit.value
        if not hasattr(value, "detach"):
            self.unsure("the clamped value is no tensor")
            return
        ones = int((value.detach() == 1).sum())
        self.show(ones=ones, dtype=str(value.dtype))
        if ones:
            self.confirm("clamped values are exactly 1", ones=ones, dtype=str(value.dtype))
            return
        before = hit.argument(0, "input")
        bound = hit.argument(2, "max")
        if is_tensor(before) and before.shape == value.shape and isinstance(bound, (int, float)):
            self.upheld(bool(((value < before) & (value > 0.5)).any()))

    def holds(self):
        return "no value came to 1"
