"""GRAD016: whether the graphs of earlier iterations are still alive.

Each graph gets a mark that lives as long as it does. It confirms if more than three graphs
are still alive after a later backward pass. Values without a graph, and graphs that
are gone after a backward pass, refute.
"""

import weakref

from rlvet_harness import Probe, numbers
from rlvet_harness.gradients import with_gradient

MOST = 64  # graphs that are marked
ROUNDS = 3  # graphs of earlier iterations; the last one is still in a variable


class Mark:
    """Lives in the metadata of an operation of a graph."""


class LossListRetention(Probe):
    """Watches the kept value."""

    enough = 5
    needs = "a value without a graph, or a graph that is gone after its backward pass"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.marks = []  # each with the number of backward passes before it

    def hit(self, hit):
        self.settle()
        alive = len([before for _, before in self.marks if before < self.run.backwards])
        self.plot(alive)
        found = with_gradient(hit.value)
        if alive > ROUNDS:
            self.confirm("graphs of earlier iterations are still alive after their backward pass", graphs=alive)
        elif not found:
            self.upheld(numbers(hit.value) is not None)
        elif len(self.marks) < MOST and found[0].grad_fn is not None:
            mark = found[0].grad_fn.metadata.setdefault("rlvet", Mark())
            self.marks.append((weakref.ref(mark), self.run.backwards))

    def settle(self):
        """Counts the graphs that are gone."""
        self.upheld(sum(mark() is None and before < self.run.backwards for mark, before in self.marks))
        self.marks = [(mark, before) for mark, before in self.marks if mark() is not None]

    def end(self):
        self.settle()

    def holds(self):
        return "no graph of an earlier iteration was alive"
