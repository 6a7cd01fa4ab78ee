"""VAL030: what is added to a target where an episode ended.

A mask that multiplies leaves nothing of the next state's value where it is 0. It confirms if one part of the sum holds a mask (0 at some
elements, and one other number at all others) and the sum still differs at those elements from what is beside it by more than the
mask alone: it confirms if at an element where the mask is 0 the other part of the sum is not 0.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flat


class MaskAdded(Probe):
    """Watches the sum of mask and value."""

    deep = True
    enough = 3
    needs = "a mask with both numbers among the parts of the sum"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seen = 0

    def hit(self, hit):
        total = flat(hit.value)
        if not total:
            return
        parts = [flat(value) for value in hit.parts.values()]
        parts = [p for p in parts if p and len(p) == len(total)]
        for mask in parts:
            kinds = set(mask)
            if len(kinds) != 2 or 0.0 not in kinds:
                continue
            self.seen += 1
            self.upheld(all(o == 0 for other in parts if other is not mask for m, o in zip(mask, other) if m == 0))
            for other in parts:
                if other is not mask and any(m == 0 and o != 0 for m, o in zip(mask, other)):
                    self.confirm("what is added to the mask is counted where the mask is 0", masked=sum(m == 0 for m in mask), of=len(mask))

    def end(self):
        if self.seen < self.enough:
            self.unsure("no mask with both numbers was seen in the sum")

    def holds(self):
        return "nothing was counted where the mask was 0"
