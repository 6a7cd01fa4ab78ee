"""GRAD012: whether a backward goes through a graph that was made with other weights.

A graph that two backwards went through, with a step of an optimizer between them that
changed parameters of it, confirms. Graphs that are new each time refute.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import leaves, nodes

MOST = 4000  # operations of one graph


class Mark:
    """Stands in the metadata of an operation that a backward went through."""

    def __init__(self, step):
        self.step = step


class RetainGraph(Probe):
    """Watches the calls of backward()."""

    enough = 3

    def imported(self, torch):
        backward, probe = torch.Tensor.backward, self

        def watched(self, *args, **kwargs):
            if (kwargs.get("retain_graph") or probe.hits) and self.grad_fn is not None:
                probe.guarded(probe.look, self.grad_fn)
            return backward(self, *args, **kwargs)

        torch.Tensor.backward = watched

    def look(self, root):
        """Marks the operations of a graph, and looks for marks of before."""
        for node in nodes(root, most=MOST):
            if hasattr(node, "variable"):
                continue  # of a parameter: it outlives its graphs
            mark = node.metadata.setdefault("rlvet_backward", Mark(self.run.steps))
            if mark.step < self.run.steps and any(self.run.owns(p) for p in leaves(node)):
                self.confirm("a backward went through a graph that was made before the last step of the optimizer", steps=self.run.steps - mark.step)
                return

    def hit(self, hit):
        pass

    def holds(self):
        return "each graph was new"
