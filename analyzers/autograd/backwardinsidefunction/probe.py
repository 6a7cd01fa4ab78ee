"""GRAD004: the graph of the inner backward().

It confirms if the graph contains an input of forward: that input gets its gradient from
the inner call, and the returned gradient on top. Five inner calls whose graphs end at
copies and other tensors refute.
"""

import sys

from rlvet_harness import Probe
from rlvet_harness.graph import nodes


class BackwardInsideFunction(Probe):
    """Watches a backward() in the backward of a Function."""

    enough = 5
    functions = True

    def hit(self, hit):
        torch = sys.modules["torch"]
        frame = self.frame()
        given = self.given(frame)
        root = hit.part("receiver") if isinstance(hit.part("receiver"), torch.Tensor) else hit.argument(0, "tensors")
        if given is None or not isinstance(root, torch.Tensor):
            self.unsure("the Function of this backward, or the tensor it was called on, was not observed")
            return
        kept = [x for x in _kept(frame) if isinstance(x, torch.Tensor) and x.data_ptr() in given]
        reached = [node for node in nodes(root.grad_fn, 10000)]
        leaves = {id(node.variable) for node in reached if hasattr(node, "variable")}
        double = [x for x in kept if id(x) in leaves or x.grad_fn is not None and x.grad_fn in reached]
        self.show(operations=len(reached), inputs_reached=len(double))
        if double:
            self.confirm("its graph contains the inputs of the Function, which get the returned gradient as well", inputs_reached=len(double))

    def given(self, frame):
        """Returns the addresses of the last inputs of the Function."""
        torch = sys.modules["torch"]
        while frame is not None:
            for function, inputs in self.run.applied.items():
                if getattr(function.backward, "__code__", None) is frame.f_code:
                    return {x.data_ptr() for x in inputs if isinstance(x, torch.Tensor)}
            frame = frame.f_back
        return None

    def holds(self):
        return "its graph ended at copies"


def _kept(frame):
    """Returns the values that the ctx of a backward holds."""
    code = frame.f_code
    ctx = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    return list(getattr(ctx, "saved_tensors", ())) + list(getattr(ctx, "__dict__", {}).values())
