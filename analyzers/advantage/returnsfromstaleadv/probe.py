"""ADV003: what the field holds at the sum, and the new value.

It confirms if a local variable named like the field differs from it. If there is none, the
local variables with the field's shape are remembered: if the field is later set to one of
them, and that one differs from what was read, this confirms too. A field that already
holds the new value refutes.
"""

import ast

from rlvet_harness import Probe, numbers

MOST = 8  # evaluations that are kept to compare with what is stored later


class ReturnsFromStaleAdv(Probe):
    """Watches the field that is read."""

    enough = 5
    needs = "the new value in sight, beside the field that is read"

    def __init__(self, target, run):
        super().__init__(target, run)
        node = self.expression()
        self.name = node.attr if isinstance(node, ast.Attribute) else None
        self.pending = []  # owner of the field, what was read, and the local variables then

    def hit(self, hit):
        self.look_back()
        owner, held = hit.part("value"), hit.value
        if self.name is None or not hasattr(held, "shape"):
            return
        local = self.frame().f_locals
        same = [v for v in local.values() if v is not owner and getattr(v, "shape", None) == held.shape]
        named = local.get(self.name)
        if getattr(named, "shape", None) == held.shape:
            self.compare(held, named)
        elif len(self.pending) < MOST and self.confirmed is None:
            self.pending.append((owner, _copy(held), same))
            self.note(any(_off(held, v) == 0 for v in same))

    def compare(self, held, new):
        off = _off(held, new)
        self.show(field=numbers(held).brief(), new=numbers(new).brief(), differ_by=off)
        if off > 0:
            self.confirm("the field differs from the new value", field=numbers(held).brief(), new=numbers(new).brief(), differ_by=off)
        else:
            self.note(True)

    def note(self, fresh):
        if fresh:
            self.upheld()

    def look_back(self):
        """Checks whether a field was set to one of the remembered values."""
        waiting, self.pending = self.pending, []
        for owner, held, locals_then in waiting:
            now = getattr(owner, self.name, None)
            if any(now is v for v in locals_then) and _off(held, now) > 0:
                self.compare(held, now)

    def end(self):
        self.look_back()

    def holds(self):
        return "the field already held the new value"


def _copy(value):
    return value.detach().clone() if hasattr(value, "detach") else value.copy()


def _off(a, b):
    """Returns the largest difference between two values of the same shape."""
    return float(abs(a - b).max()) if getattr(a, "size", 1) else 0.0
