"""GRAD016: whether the graphs of earlier iterations are still alive.

Each graph gets a mark that lives as long as it does. It confirms if more than three graphs
are still alive after a later backward pass. Values without a graph, or whose graphs are
gone, refute.
"""

import weakref

from rlvet_harness import Probe

ROUNDS = 3  # graphs of earlier iterations; the last one is still in a variable


class Mark:
    """Lives in the metadata of an operation of a graph."""


class LossListRetention(Probe):
    """Watches the kept value."""

    enough = 5

    def __init__(self, target, run):
        super().__init__(target, run)
        self.marks = []  # each with the number of backward passes before it

    def hit(self, hit):
        made_by = getattr(hit.value, "grad_fn", None)
        alive = sum(mark() is not None and before < self.run.backwards for mark, before in self.marks)
        self.plot(alive)
        if made_by is None:
            return
        if alive > ROUNDS:
            self.confirm("graphs of earlier iterations are still alive after their backward pass", graphs=alive)
        elif len(self.marks) < 64:
            mark = made_by.metadata.setdefault("rlvet", Mark())
            self.marks.append((weakref.ref(mark), self.run.backwards))

    def holds(self):
        return "no graph of an earlier iteration was alive"
