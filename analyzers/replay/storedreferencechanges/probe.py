"""OFF004: whether what was stored changes.

Each object that is stored is kept with a copy. It confirms if one of them differs from its copy
at a later evaluation, or at the end of the run.
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

    def hit(self, hit):
        self.compare()
        now = contents(hit.value)
        if now is None:
            self.unsure("what is stored is a %s, of which the contents cannot be read" % type(hit.value).__name__)
            return
        self.differ = self.differ or bool(self.kept) and self.kept[-1][1] != now
        if len(self.kept) < MOST:
            self.kept.append((hit.value, now))

    def compare(self):
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
