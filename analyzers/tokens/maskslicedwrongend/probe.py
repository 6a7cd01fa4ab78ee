"""TOK006: which end of the mask was cut off.

The first position of a text is scored by nothing. A part of the mask that holds the first position and
lacks the last confirms. One that lacks the first may have been moved before, and then is moved twice: it refutes where the whole
mask is 0 at just one id of the tokens in sight, which is their padding.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import parts_near
from rlvet_harness.observe import is_tensor


class MaskSlicedWrongEnd(Probe):
    """Watches a part of a mask."""

    needs = "a part of a mask that lacks the first position, and is not all alike, beside tokens of which the whole mask leaves out one id alone"

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
            near = [part for _, _, part in parts_near(self.frame()) if _are_ids(part, whole)]
            self.upheld(bool(near) and all(_leaves_out_one_id(whole, ids) for ids in near))

    def holds(self):
        return "the mask lacked the first position, as the scores do" if self.looked else "the mask was the same everywhere"


def _are_ids(value, mask):
    """Reports whether a value is tokens for a mask: whole numbers, of more than two kinds."""
    if not is_tensor(value) or value.shape != mask.shape or value.device != mask.device or value.is_floating_point():
        return False
    return len(value.unique()) > 2


def _leaves_out_one_id(mask, ids):
    """Reports whether a mask is 0 at one id of the tokens, in all places of that, and nowhere else."""
    off = mask == 0
    return bool(off.any()) and bool((ids >= 0).all()) and bool((off == (ids == ids[off][0])).all())
