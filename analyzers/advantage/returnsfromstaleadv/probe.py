"""ADV003: what the field holds at the sum, and the new value at hand.

Where a local of the field's name holds other numbers than the field, that confirms. Else
the locals of the field's shape are remembered: one that the field is given later, and that
holds other numbers than were read, confirms, too. A field that holds the new value
already refutes.
"""

import ast

from rlvet_harness import Probe, numbers

MOST = 8  # evaluations that are looked at for what is stored later


class ReturnsFromStaleAdv(Probe):
    """Watches the field that is read."""

    enough = 5

    def __init__(self, target, run):
        super().__init__(target, run)
        node = self.expression()
        self.name = node.attr if isinstance(node, ast.Attribute) else None
        self.pending = []  # owner of the field, what was read, and the locals at hand
        self.fresh = 0

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
            self.fresh += any(_off(held, v) == 0 for v in same)

    def compare(self, held, new):
        off = _off(held, new)
        self.show(field=numbers(held).brief(), new=numbers(new).brief(), differ_by=off)
        if off > 0:
            self.confirm("the field holds other numbers than the new value at hand", field=numbers(held).brief(), new=numbers(new).brief(), differ_by=off)
        else:
            self.fresh += 1

    def look_back(self):
        """Looks at whether a field was given one of the values that were at hand."""
        waiting, self.pending = self.pending, []
        for owner, held, locals_then in waiting:
            now = getattr(owner, self.name, None)
            if any(now is v for v in locals_then) and _off(held, now) > 0:
                self.compare(held, now)

    def end(self):
        self.look_back()
        if self.fresh < self.enough:
            self.unsure("the new value was not recognised")

    def holds(self):
        return "the field held the new value already"


def _copy(value):
    return value.detach().clone() if hasattr(value, "detach") else value.copy()


def _off(a, b):
    """Returns the largest difference between two values of the same shape."""
    return float(abs(a - b).max()) if getattr(a, "size", 1) else 0.0
