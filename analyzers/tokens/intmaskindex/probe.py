"""TOK007: whether an index of zeros and ones was of integers."""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class IntMaskIndex(Probe):
    """Watches a choice by a mask, or the mask itself where something is stored."""

    needs = "an index of truth values"

    def hit(self, hit):
        mask = hit.part("index", "slice")
        if not is_tensor(mask) and not self.target["claimed"]:  # a subscript that is claimed may be anything
            mask = hit.value if is_tensor(hit.value) and not hit.value.is_floating_point() else None
        if not is_tensor(mask):
            self.unsure("no mask was seen")
            return
        kind = str(mask.dtype).replace("torch.", "")
        self.show(type=kind, elements=int(mask.numel()))
        if kind not in ("bool", "uint8"):
            if mask.numel() <= 2 or not bool(((mask == 0) | (mask == 1)).all()):
                self.unsure("the index holds other numbers than 0 and 1, or only two: it may be of rows")
                return
            self.confirm("the mask holds integers, which choose rows 0 and 1", type=kind, elements=int(mask.numel()))
        else:
            self.upheld()

    def holds(self):
        return "the mask held truth values"
