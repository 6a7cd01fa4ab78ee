"""TOK061: whether the column at which a score was read holds padding, or lies before the end of a text.

Padding is an id that stands in rows of tokens as their tail alone, or as their head alone, and not in all of them.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


class ScoreAtPadding(Probe):
    """Watches what is read off a row for each text, or the number of the column."""

    needs = "the rows of tokens in sight, which the probe does not take for all there are"

    def hit(self, hit):
        if not is_tensor(hit.value) or hit.value.dim() == 0:
            return
        columns = None if hit.value.is_floating_point() else hit.value.reshape(-1)
        for ids in self.rows_in_sight(len(hit.value)):
            if columns is None:
                padded = tails(ids)
            else:
                padded = tails(ids.flip(1)) & (columns < ids.shape[1] - 1)
            if bool(padded.any()):
                self.confirm("the score of padded rows was not read at their last token", rows=int(padded.sum()))

    def rows_in_sight(self, n):
        """Yields the rows of n texts that the program has at hand."""
        frame = self.frame()
        for _ in range(3):
            if frame is None:
                return
            for value in list(frame.f_locals.values()):
                if is_tensor(value) and value.dim() == 2 and len(value) == n and value.shape[1] > 1:
                    if not value.is_floating_point() and value.min() != value.max() and value.max() > 1:
                        yield value
            frame = frame.f_back

    def holds(self):
        return "no row was padded"


def tails(ids):
    """Returns which rows end in an id that stands nowhere but at ends of rows, and not at all of them."""
    found = ids[:, -1] != ids[:, -1]
    for pad in ids[:, -1].unique():
        is_pad = ids == pad
        tail = is_pad.flip(1).long().cumprod(1).flip(1).bool()
        ends = is_pad[:, -1]
        if bool((is_pad == tail).all()) and not bool(ends.all()):
            found |= ends
    return found
