"""TOK002: whether the end of a text that is not yet padding was taken for padding.

The first id of a row that equals the pad, with another before it, is where the text ends: a mask that leaves it out
confirms.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class MaskFromPadWhenPadIsEos(Probe):
    """Watches a comparison of tokens with the pad."""

    needs = "rows that end in the pad, and an object in sight that has another id for the end"

    def hit(self, hit):
        ids, pad = hit.part("left", "receiver"), hit.part("right", "arg0")
        compares_ids = pad.numel() == 1 if is_tensor(pad) else bool(pad) or bool(self.ends_of(pad))
        if not compares_ids and is_tensor(hit.value) and hit.value.dim() == 2 and self.stops_before_end(hit.value):
            self.confirm("the first token that the mask leaves out is one that ends each of the rows")
            return
        if not is_tensor(ids) or ids.dim() < 1 or isinstance(pad, str) or is_tensor(pad) and pad.numel() != 1:
            return
        same = ids == pad
        ends = int(same.reshape(-1, ids.shape[-1])[:, 1:].any(-1).sum())
        self.show(pad=int(pad), rows_that_end=ends)
        known = self.ends_of(int(pad)) if ends else set()
        if int(pad) in known:
            self.confirm("rows end in the id of the pad, and it is left out", rows=ends, pad=int(pad))
        elif any(type(end) is int for end in known):
            self.upheld()
        elif ids.dim() == 2 and ends == len(ids) > 1:
            self.confirm("each row ends in the id of the pad, the longest too, and it is left out", rows=ends, pad=int(pad))

    def stops_before_end(self, mask):
        """Returns whether rows of tokens in sight go on, where the mask of the positions before ends, with one id that it keeps nowhere."""
        frame, keep = self.frame(), mask.bool()
        inside = keep[:, :1].all() and bool((~keep).any(1).all())
        if frame is None or not inside:
            return False
        first = (~keep).int().argmax(1)
        for ids in list(frame.f_locals.values()):
            if is_tensor(ids) and ids.shape == mask.shape and not ids.is_floating_point() and int(ids.max()) > 1:
                ends = ids.gather(1, first[:, None])
                if bool((ends == ends[0]).all()) and not bool((ids[keep] == ends[0]).any()):
                    return True
        return False

    def ends_of(self, pad):
        """Returns what objects near the comparison that have this id for the pad have for the end."""
        frame, ends = self.frame(), set()
        near = list(frame.f_globals.values()) if frame is not None else []
        for _ in range(3):
            if frame is None:
                break
            near += frame.f_locals.values()
            frame = frame.f_back
        for value in near:
            for part in [value, *list(getattr(value, "__dict__", {}).values())[:64]]:
                if not is_tensor(part) and getattr(part, "pad_token_id", None) == pad:
                    ends.add(getattr(part, "eos_token_id", None))
        return ends

    def holds(self):
        return "the end has an id of its own"
