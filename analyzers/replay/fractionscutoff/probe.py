"""OFF029: whether what is written into rows is there afterwards.

What was written is looked for in the arrays nearby when the flagged expression is evaluated the next time. Confirmed if it had digits behind the
point, no array holds it, and one of integers holds it without them. An array that holds it refutes.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flat, parts_near

MOST = 1 << 20  # elements of an array that are looked at


class FractionsCutOff(Probe):
    """Watches what is written."""

    enough = 1
    needs = "a number with digits behind the point, and the array into which it was written"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.before = None

    def hit(self, hit):
        if self.before is not None:
            self.look(self.before)
        self.before = flat(hit.value) if not isinstance(hit.value, (int, float)) else [float(hit.value)]

    def look(self, written):
        if all(x == int(x) for x in written):
            return
        cut = [float(int(x)) for x in written]
        whole = False
        for _, _, rows in parts_near(self.frame()):
            if not hasattr(rows, "dtype") or not isinstance(getattr(rows, "ndim", None), int) or rows.ndim == 0 or not 0 < self.size(rows) <= MOST:
                continue
            width = len(written)
            if self.size(rows) % width:
                continue
            kept = [rows.reshape(-1, width)[i].tolist() for i in range(min(self.size(rows) // width, 4096))]
            if any(all(abs(x - y) <= 1e-3 * max(1.0, abs(y)) for x, y in zip(row, written)) for row in kept):
                self.upheld()
                return
            integers = not getattr(rows.dtype, "is_floating_point", getattr(rows.dtype, "kind", "f") == "f")
            whole = whole or integers and cut in kept
        if whole:
            self.confirm("the rows held integers, without the digits that had been written", written=len(written))

    @staticmethod
    def size(rows):
        return rows.numel() if hasattr(rows, "numel") else rows.size

    def holds(self):
        return "the rows held what had been written"
