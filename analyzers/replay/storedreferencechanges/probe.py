"""OFF004: whether what was stored changes.

Each object that is stored is kept with a copy. It confirms if one of them differs from its copy
at a later evaluation, or at the end of the run. Of a list whose places all hold one object it
keeps that object's length, and confirms if it changes.
"""

from rlvet_harness import Probe

MOST = 64  # objects that are kept


class StoredReferenceChanges(Probe):
    """Watches what is stored."""

    enough = 1
    needs = "objects that are stored one after the other with different contents, and stay as they were"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.kept = []  # objects and copies of their contents
        self.differ = False  # whether two of them did
        self.repeated = []  # objects that stand in all places of a list, their lengths, and the number of places

    def hit(self, hit):
        self.compare()
        if isinstance(hit.value, list) and len(hit.value) > 1 and hasattr(hit.value[0], "__len__") and all(x is hit.value[0] for x in hit.value):
            self.repeated.append((hit.value[0], len(hit.value[0]), len(hit.value)))
            return
        now = contents(hit.value)
        if now is None:
            self.unsure("what is stored is a %s, of which the contents cannot be read" % type(hit.value).__name__)
            return
        self.differ = self.differ or bool(self.kept) and self.kept[-1][1] != now
        if len(self.kept) < MOST:
            self.kept.append((hit.value, now))

    def compare(self):
        for item, before, places in self.repeated:
            if len(item) != before:
                self.confirm("all places of the list hold one object, which was filled", places=places)
                return
        for value, before in self.kept:
            if contents(value) != before:
                self.confirm("what was stored has changed since", objects=len(self.kept))
                return

    def end(self):
        self.compare()
        self.upheld(self.differ)

    def holds(self):
        return "nothing that was stored changed"


def contents(value):
    """Returns what a value holds as plain data; None where it holds something that cannot be read."""
    if hasattr(value, "tolist"):
        return repr(value.tolist())  # two NaNs are alike there
    if isinstance(value, (bool, int, float, str, type(None))):
        return repr(value)
    if isinstance(value, dict):
        value = [part for item in value.items() for part in item]
    elif not isinstance(value, (list, tuple)):
        return None
    inside = [contents(part) for part in value]
    return None if None in inside else inside
