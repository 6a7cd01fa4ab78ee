"""GRAD012: whether a backward pass goes through a graph that was built with older weights.

It confirms if two backward passes go through the same graph and an optimizer step between
them changed parameters of it. Graphs that are new each time refute.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import leaves, nodes

MOST = 4000  # operations of one graph


class Mark:
    """Marks an operation that a backward pass went through, in its metadata."""

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
        """Marks the operations of a graph, and looks for earlier marks."""
        for node in nodes(root, most=MOST):
            if hasattr(node, "variable"):
                continue  # of a parameter: it outlives its graphs
            mark = node.metadata.setdefault("rlvet_backward", Mark(self.run.steps))
            if mark.step < self.run.steps and any(self.run.owns(p) for p in leaves(node)):
                self.confirm("a backward pass went through a graph built before the last optimizer step", steps=self.run.steps - mark.step)
                return

    def hit(self, hit):
        pass

    def holds(self):
        return "each graph was new"
