"""GRAD016: whether the graphs of earlier rounds are still alive.

Each graph that is kept gets a mark that lives as long as it does: more than three marks
that are alive although a backward was run since confirm. Values without a graph, or whose graphs
are gone, refute.
"""

import weakref

from rlvet_harness import Probe

ROUNDS = 3  # graphs of earlier rounds: that of the last one is still in a variable


class Mark:
    """Lives in the metadata of an operation of a graph."""


class LossListRetention(Probe):
    """Watches the value that is kept."""

    enough = 5

    def __init__(self, target, run):
        super().__init__(target, run)
        self.marks = []  # each with the number of backwards before

    def hit(self, hit):
        made_by = getattr(hit.value, "grad_fn", None)
        alive = sum(mark() is not None and before < self.run.backwards for mark, before in self.marks)
        self.plot(alive)
        if made_by is None:
            return
        if alive > ROUNDS:
            self.confirm("graphs of earlier rounds are alive after their gradients were taken", graphs=alive)
        elif len(self.marks) < 64:
            mark = made_by.metadata.setdefault("rlvet", Mark())
            self.marks.append((weakref.ref(mark), self.run.backwards))

    def holds(self):
        return "no graph of an earlier round was alive"
