"""OBJ050: how many values a clamp around 0 cuts off."""

from rlvet_harness import Probe, numbers
from rlvet_harness.observe import is_tensor


class ValueClippedItself(Probe):
    """Watches the clamp."""

    needs = "values that come near the bounds, of which few are cut off"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.cut = self.seen = 0

    def hit(self, hit):
        before, after = hit.argument(0, "input"), hit.value
        if not is_tensor(before) or not is_tensor(after) or before.shape != after.shape:
            self.unsure("what goes into the clamp was not seen")
            return
        self.seen += before.numel()
        self.cut += int((before != after).sum())
        if self.seen >= 16 and 2 * self.cut > self.seen:
            self.confirm("%d of %d values were cut off" % (self.cut, self.seen))
        bound = min((abs(b.mean) for b in map(numbers, (hit.argument(1, "min"), hit.argument(2, "max"))) if b is not None and b.mean is not None), default=None)
        if bound is not None and 2 * self.cut <= self.seen and float(before.detach().abs().max()) > bound / 2:
            self.upheld()

    def holds(self):
        return "%d of %d values were cut off" % (self.cut, self.seen)
