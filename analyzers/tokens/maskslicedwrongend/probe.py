"""TOK006: which end of the mask was cut off.

The first position of a text is scored by nothing. A part of the mask that holds the first position and
lacks the last confirms; one that lacks the first refutes.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class MaskSlicedWrongEnd(Probe):
    """Watches a part of a mask."""

    needs = "a part of a mask that lacks the first position, and is not all alike"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.looked = 0

    def hit(self, hit):
        whole, part = hit.part("value", "receiver"), hit.value
        if not is_tensor(whole) or not is_tensor(part) or whole.dim() != part.dim() or not part.shape[-1] < whole.shape[-1]:
            self.unsure("what was watched is no part of a mask")
            return
        n = part.shape[-1]
        early, late = bool((part == whole[..., :n]).all()), bool((part == whole[..., -n:]).all())
        if early and late:
            return  # all alike: nothing can be told apart
        self.looked += 1
        self.show(positions=whole.shape[-1], masked=n)
        if early:
            self.confirm("the mask lacks the last token, which is scored", positions=whole.shape[-1], masked=n)
        elif late:
            self.upheld()

    def holds(self):
        return "the mask lacked the first position, as the scores do" if self.looked else "the mask was the same everywhere"
