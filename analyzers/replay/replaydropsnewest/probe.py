"""OFF028: which rows leave a replay that is full.

The list whose method is called is looked at whenever the flagged expression is evaluated; where there is none, the lists and arrays nearby that
change from one evaluation to the next. Confirmed if one keeps its length, and all its rows but two, for many evaluations. If most of its
rows are other ones by then, that refutes.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flat

LEAST = 6  # evaluations after which a replay that keeps its rows is no chance
MOST = 4096  # rows that are compared


class ReplayDropsNewest(Probe):
    """Watches the expression by which a row leaves."""

    enough = 1
    needs = "a replay that was full for as many steps as it has rows"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.first = {}  # by where a replay is kept: its rows when it had so many first, and how often it was seen since
        self.last = {}
        self.changed = set()

    def hit(self, hit):
        called = hit.part("receiver")
        own = isinstance(called, list)
        for place, x in [("receiver", called)] if own else self.nearby():
            rows = list(x) if isinstance(x, list) else [tuple(flat(r) or ()) for r in x]
            keys = [id(r) if isinstance(x, list) else r for r in rows]
            if own or place in self.last and self.last[place] != keys:
                self.changed.add(place)
            self.last[place] = keys
            if place not in self.first or len(self.first[place][0]) != len(keys):
                self.first[place] = (keys, rows, 0)
                continue
            before, held, seen = self.first[place]
            self.first[place] = (before, held, seen + 1)
            if place not in self.changed or len(before) < 4 or seen + 1 < max(LEAST, len(before)):
                continue
            now = set(keys)
            stayed = sum(k in now for k in before)
            if stayed >= len(before) - 2:
                self.confirm("the replay was full, and kept its rows while others came", rows=len(before), steps=seen + 1)
            elif stayed <= len(before) // 2:
                self.upheld()

    def nearby(self):
        """Returns the lists and arrays in variables, and in fields of objects in variables, with where each is kept."""
        frame = self.frame()
        out = []
        for name, value in frame.f_locals.items() if frame is not None else ():
            held = vars(value).items() if hasattr(value, "__dict__") and not isinstance(value, type) and not hasattr(value, "ndim") else [("", value)]
            for field, x in held:
                if (isinstance(x, list) or getattr(x, "ndim", 0) > 1) and 0 < len(x) <= MOST:
                    out.append(((name, field), x))
        return out

    def holds(self):
        return "most rows of the replay were other ones after it had been full"
