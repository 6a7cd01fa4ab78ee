"""mask: 0 or 1 each, 1 somewhere at some time, and 0 where the tokens beside it are padding.

Source: Hugging Face transformers, attention_mask; Sheng et al. 2024, HybridFlow (verl), response_mask.
"""

from rlvet_harness.contract import Contract
from rlvet_harness.observe import is_tensor


class Mask(Contract):
    """Watches a mask. The tokens and the id of the padding are sought among the variables around: integers
    of the mask's shape, and a number whose name has "pad" in it."""

    def look(self, hit, seen):
        if seen.low < 0 or seen.high > 1 or seen.zeros + ones(hit.value) != seen.count:
            self.confirm("it has other numbers than 0 and 1", value=seen.brief())
        elif self.always(seen.zeros == seen.count and seen.count > 1):
            self.confirm("it is 0 everywhere, at each evaluation", value=seen.brief())
        elif is_tensor(hit.value):
            self.compare(hit.value)

    def compare(self, mask):
        frame = self.frame()
        if frame is None:
            return
        around = {**{k: v for k, v in frame.f_globals.items() if "pad" in k.lower()}, **frame.f_locals}
        pads = {v for k, v in around.items() if "pad" in k.lower() and type(v) is int}
        for name, ids in list(around.items()):
            if len(pads) != 1 or not is_tensor(ids) or ids.is_floating_point() or ids.shape != mask.shape or "mask" in name.lower() or int(ids.max()) < 2:
                continue
            counted = (ids == next(iter(pads))) & mask.bool() & after_the_end(ids, next(iter(pads)))
            if bool(counted.any()):
                self.confirm("%d places of padding in `%s` are not masked" % (int(counted.sum()), name), padding=int(counted.sum()))

    def holds(self):
        return "it was 0 or 1, not 0 everywhere, and no padding beside it counted"


def ones(value):
    return int((value == 1).sum()) if hasattr(value, "sum") else sum(v == 1 for v in (value if isinstance(value, (list, tuple)) else [value]))


def after_the_end(ids, pad):
    """Returns where padding follows padding: the first of a row may be the end of the text."""
    same = ids == pad
    before = same.roll(1, -1)
    before[..., 0] = False
    return same & before
