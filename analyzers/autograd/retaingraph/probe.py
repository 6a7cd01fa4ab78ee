"""GRAD012: whether a backward pass goes through a graph that was built with older weights.

It confirms if two backward passes go through the same graph and an optimizer step between
them changed parameters of it. Graphs of trained parameters that are new
after each step refute.
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
    needs = "backward passes through trained parameters, with a step of an optimizer between them"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.passed = None  # steps before the last backward pass through trained parameters

    def imported(self, torch):
        backward, probe = torch.autograd.backward, self

        def watched(tensors, *args, **kwargs):
            for tensor in tensors if isinstance(tensors, (list, tuple)) else (tensors,):
                if getattr(tensor, "grad_fn", None) is not None:
                    probe.guarded(probe.look, tensor.grad_fn)
            return backward(tensors, *args, **kwargs)

        torch.autograd.backward = watched

    def look(self, root):
        """Marks the operations of a graph, and looks for earlier marks."""
        trained, seen = False, 0
        for node in nodes(root, most=MOST):
            seen += 1
            if hasattr(node, "variable"):  # of a parameter: it outlives its graphs
                trained = trained or self.run.owns(node.variable)
                continue
            mark = node.metadata.setdefault("rlvet_backward", Mark(self.run.steps))
            if mark.step < self.run.steps and any(self.run.owns(p) for p in leaves(node)):
                self.confirm("a backward pass went through a graph built before the last optimizer step", steps=self.run.steps - mark.step)
                return
        if trained and seen < MOST:
            self.upheld(self.passed is not None and self.passed < self.run.steps)
            self.passed = self.run.steps

    def hit(self, hit):
        pass

    def holds(self):
        return "each graph was new"
