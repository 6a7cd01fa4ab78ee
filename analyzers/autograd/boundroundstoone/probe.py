"""GRAD020: the clamped values; an element that is exactly 1 in float32 confirms."""

from rlvet_harness import Probe


class BoundRoundsToOne(Probe):
    """Watches a clamp."""

    def hit(self, hit):
        value = hit.value
        if not hasattr(value, "detach"):
            self.unsure("the clamped value is no tensor")
            return
        ones = int((value.detach() == 1).sum())
        self.show(ones=ones, dtype=str(value.dtype))
        if ones:
            self.confirm("clamped values are exactly 1", ones=ones, dtype=str(value.dtype))

    def holds(self):
        return "no value came to 1"
