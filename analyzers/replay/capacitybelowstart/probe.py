"""OFF023: whether a condition on the length of a buffer ever changes.

It confirms when the buffer is full and the condition is still what it was when it was empty. A condition that changes refutes.
"""

from rlvet_harness import Probe


class CapacityBelowStart(Probe):
    """Watches the condition."""

    deep = True
    enough = 1
    needs = "a condition that changes"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.first, self.changed = None, False

    def hit(self, hit):
        if self.first is None:
            self.first = bool(hit.value)
        buffer = next((v for k, v in hit.parts.items() if hasattr(v, "maxlen") and v.maxlen is not None), None)
        if bool(hit.value) != self.first:
            self.first = not self.first
            self.changed = True
            self.upheld()
        elif buffer is not None and len(buffer) == buffer.maxlen and not self.changed:
            self.confirm("the buffer was full, and the condition had not changed", length=len(buffer))

    def holds(self):
        return "the condition changed"
