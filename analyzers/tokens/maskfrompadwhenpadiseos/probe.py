"""TOK002: whether the end of a text that is not yet padding was taken for padding.

The first id of a row that equals the pad, with another before it, is where the text ends: a mask that leaves it out
confirms.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class MaskFromPadWhenPadIsEos(Probe):
    """Watches a comparison of tokens with the pad."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.looked = 0

    def hit(self, hit):
        ids, pad = hit.part("left", "receiver"), hit.part("right", "arg0")
        if not is_tensor(ids) or ids.dim() < 1 or isinstance(pad, str) or is_tensor(pad) and pad.numel() != 1:
            return
        self.looked += 1
        same = ids == pad
        ends = int(same.reshape(-1, ids.shape[-1])[:, 1:].any(-1).sum())
        self.show(pad=int(pad), rows_that_end=ends)
        if ends and self.pads_are_ends(int(pad)):
            self.confirm("rows end in the id of the pad, and it is left out", rows=ends, pad=int(pad))

    def pads_are_ends(self, pad):
        """Reports whether an object near the comparison has one id for the pad and the end."""
        frame = self.frame()
        for _ in range(3):
            if frame is None:
                return False
            for value in list(frame.f_locals.values()):
                for part in [value, *list(getattr(value, "__dict__", {}).values())[:64]]:
                    if getattr(part, "pad_token_id", None) == pad == getattr(part, "eos_token_id", None):
                        return True
            frame = frame.f_back
        return False

    def holds(self):
        return "no row ended in the pad, or the end has an id of its own" if self.looked else "no ids were compared"
