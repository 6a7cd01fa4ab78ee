"""GRAD004: the graph that the inner backward went through.

A tensor that forward was given, and that is itself in that graph, got its gradient from
there, and gets what backward returns on top: that confirms. Five inner backwards whose
graphs end at copies and other tensors refute.
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
            self.unsure("the Function of this backward, or what it goes back from, was not seen")
            return
        kept = [x for x in _kept(frame) if isinstance(x, torch.Tensor) and x.data_ptr() in given]
        reached = [node for node in nodes(root.grad_fn, 10000)]
        leaves = {id(node.variable) for node in reached if hasattr(node, "variable")}
        double = [x for x in kept if id(x) in leaves or x.grad_fn is not None and x.grad_fn in reached]
        self.show(operations=len(reached), inputs_reached=len(double))
        if double:
            self.confirm("it went on into the graph around its own inputs, to which the return is added again", inputs_reached=len(double))

    def given(self, frame):
        """Returns where the tensors lie that the Function was last applied to."""
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
    """Returns what the ctx of a backward holds."""
    code = frame.f_code
    ctx = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    return list(getattr(ctx, "saved_tensors", ())) + list(getattr(ctx, "__dict__", {}).values())
