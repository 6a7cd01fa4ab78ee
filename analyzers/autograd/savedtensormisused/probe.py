"""GRAD007: the memory of the tensor that a Function writes into, or keeps.

A write confirms if the tensor shares memory with an input of the Function, the incoming
gradient, or a tensor saved before. A kept output confirms if its graph holds it. Five
evaluations without either refute.
"""

import ast
import weakref

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor
from rlvet_harness.trace import same_memory


class SavedTensorMisused(Probe):
    """Watches a write, or a value kept on ctx."""

    enough = 5
    functions = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.kept = []

    def hit(self, hit):
        value = self.target_of(hit.value)
        if not is_tensor(value):
            self.unsure("the written value is not a tensor")
        elif self.writes():
            self.written(value)
        else:
            self.kept.append(weakref.ref(hit.value))
            self.kept_on_ctx()

    def target_of(self, value):
        """Returns x of x[i] = y, where the value is y; otherwise the value."""
        node = self.expression()
        while isinstance(node, ast.Subscript):
            node = node.value
            value = self.frame().f_locals.get(node.id) if isinstance(node, ast.Name) else None
        return value

    def writes(self):
        node = self.expression()
        return not isinstance(node, ast.Name) and not (isinstance(node, ast.Call) and not _in_place(node))

    def written(self, value):
        frame = self.frame()
        code = frame.f_code
        held = [frame.f_locals.get(name) for name in code.co_varnames[:code.co_argcount]]
        if not held:
            self.unsure("the frame of the Function was not observed")
            return
        shared = {
            "the incoming gradient": held[1:] if code.co_name == "backward" else (),
            "a saved tensor": getattr(held[0], "to_save", None) or (),
            "an input of forward": self.given(code) if code.co_name == "backward" else (),
        }
        for what, tensors in shared.items():
            if any(is_tensor(x) and same_memory(x, value) for x in tensors):
                self.confirm("it shares memory with " + what)

    def given(self, code):
        """Returns the last inputs of the Function whose backward is running."""
        for function, inputs in self.run.applied.items():
            if getattr(function.backward, "__code__", None) is code:
                return inputs
        return ()

    def kept_on_ctx(self):
        for ref in self.kept:
            value = ref()
            if value is not None and any(v is value for v in getattr(value.grad_fn, "__dict__", {}).values()):
                self.confirm("the graph of the output holds the output")

    def end(self):
        self.kept_on_ctx()

    def holds(self):
        return "it shared memory with none of them"


def _in_place(call):
    return isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_")
