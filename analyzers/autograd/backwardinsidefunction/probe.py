"""GRAD004: the graph of the inner backward().

It confirms if the graph contains an input of forward: that input gets its gradient from
the inner call, and the returned gradient on top. Five inner calls whose graphs end at
copies and other tensors refute, where the inputs had gradients to get.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import context, nodes
from rlvet_harness.observe import is_tensor

MOST = 10000  # operations that are looked at


class BackwardInsideFunction(Probe):
    """Watches a backward() in the backward of a Function."""

    enough = 5
    needs = "a backward that autograd runs, whose inputs get gradients, and a graph of the inner call"

    def hit(self, hit):
        roots = hit.part("receiver") if is_tensor(hit.part("receiver")) else hit.argument(0, "tensors")
        roots = [root for root in (roots if isinstance(roots, (list, tuple)) else [roots]) if is_tensor(root)]
        inputs = [fn for fn, _ in getattr(context(self.frame()), "next_functions", ()) if fn is not None]
        if not inputs or not roots:
            self.unsure("the inputs of the Function, or the tensor that backward was called on, were not seen")
            return
        reached = {node for root in roots for node in nodes(root.grad_fn, MOST)}
        leaves = {id(node.variable) for node in reached if hasattr(node, "variable")}
        double = [fn for fn in inputs if fn in reached or id(getattr(fn, "variable", None)) in leaves]
        self.show(operations=len(reached), inputs_reached=len(double))
        if double:
            self.confirm("its graph contains the inputs of the Function, which get the returned gradient as well", inputs_reached=len(double))
        elif 0 < len(reached) < MOST:
            self.upheld()

    def holds(self):
        return "its graph ended at copies"
