"""OFF004: whether what was stored changes.

Each object that is stored is kept with a copy. It confirms if one of them differs from its copy
at a later evaluation, or at the end of the run.
"""

from rlvet_harness import Probe

MOST = 64  # objects that are kept


class StoredReferenceChanges(Probe):
    """Watches what is stored."""

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.kept = []  # objects and copies of their contents

    def hit(self, hit):
        self.compare()
        if len(self.kept) < MOST:
            self.kept.append((hit.value, contents(hit.value)))

    def compare(self):
        for value, before in self.kept:
            if contents(value) != before:
                self.confirm("what was stored has changed since", objects=len(self.kept))
                return

    def end(self):
        self.compare()

    def holds(self):
        return "nothing that was stored changed"


def contents(value):
    """Returns the elements of a list or an array as plain data."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, (list, dict)) else None
