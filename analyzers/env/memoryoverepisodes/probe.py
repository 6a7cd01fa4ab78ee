"""ENV065: whether what a recurrent network is handed is what it returned the last time, at every step.

What of it belongs to another episode is the checker's word: that the loop goes on behind an episode's end. A state that was once
changed on the way refutes.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor


def tensors(value):
    """Returns the tensors of a value that is one, or holds some."""
    if is_tensor(value):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors(v)]
    return []


class MemoryOverEpisodes(Probe):
    """Watches the call of the network."""

    enough = 1
    needs = "a state that differs from the one that the call before returned"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last, self.handed = [], 0

    def hit(self, hit):
        given = [t for name, part in hit.parts.items() if name.startswith("arg") for t in tensors(part)]
        same = [t for t in given if any(t.shape == o.shape and bool((t == o).all()) for o in self.last)]
        if self.last and not same:
            self.upheld()
        self.handed += bool(same)
        self.last = [o.detach().clone() for o in tensors(hit.value) if o.ndim > 1]

    def end(self):
        if self.handed >= 10 and not self.upholds:
            self.confirm("each of %d steps began with the state that the step before had returned" % self.handed)

    def holds(self):
        return "the state was changed between two steps"
