"""ADV012: the slices of a loop, one after the other.

An empty slice of a non-empty batch confirms. So does a slice that begins after the end of
the one before it: the samples between them are in no slice. Slices that follow each other
without a gap refute.
"""

from rlvet_harness import Probe


class GroupSliceWrong(Probe):
    """Watches a slice object, or the piece it selects."""

    enough = 1
    needs = "slices one behind the other, or pieces that make up what they are cut from"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.before = self.whole = None
        self.taken = 0  # of the whole, by slices so far

    def hit(self, hit):
        if isinstance(hit.value, slice):
            self.bounds(hit.value)
        else:
            self.cut(hit.value, hit.part("value"))

    def bounds(self, now):
        before, self.before = self.before, now
        self.show(start=now.start, stop=now.stop)
        if before is not None and None not in (before.start, before.stop, now.start) and before.start < before.stop < now.start:
            self.confirm("one slice ends at %d and the next begins at %d: no slice has the samples between" % (before.stop, now.start))
        elif before is not None and None not in (before.start, before.stop, now.stop) and before.start < before.stop == now.start < now.stop:
            self.upheld()

    def cut(self, piece, whole):
        try:
            size, of = len(piece), len(whole)
        except TypeError:
            self.unsure("the sliced value has no length")
            return
        self.show(size=size, of=of)
        self.plot(group_size=size)
        if size == 0 and of > 0:
            self.confirm("a slice of %d samples is empty" % of)
        if whole is not self.whole:
            self.whole, self.taken = whole, 0
        self.taken += size
        if size < of == self.taken:
            self.upheld()

    def holds(self):
        if self.before is not None:
            return "each slice began where the one before it ended"
        return "no slice was empty"
