"""GRAD007: the memory of the tensor that a Function writes into, or keeps.

A write confirms if the tensor shares memory with an input of the Function, the incoming
gradient, or a tensor saved before. A kept output confirms if its graph holds it. Five
writes into memory that is none of these, and five kept values that are gone with their graph, refute.
"""

import ast
import inspect
import weakref

from rlvet_harness import Probe
from rlvet_harness.graph import inputs_of, running
from rlvet_harness.observe import is_tensor
from rlvet_harness.trace import same_memory


class SavedTensorMisused(Probe):
    """Watches a write, or a value kept on ctx."""

    enough = 5
    needs = "a Function that autograd runs: what it was applied to and saved, or a kept value whose graph is gone"
    functions = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.kept = []  # weak references

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
        frame, ctx = running(self.frame())
        if ctx is None:
            self.unsure("it was evaluated by no Function that autograd ran")
            return
        back = frame.f_code.co_name == "backward"
        shared = {
            "the incoming gradient": arguments(frame)[1:] if back else (),
            "a saved tensor": () if back else [*(getattr(ctx, "to_save", None) or ()), *getattr(ctx, "__dict__", {}).values()],
            "an input of forward": (inputs_of(ctx) or ()) if back else (),
        }
        for what, tensors in shared.items():
            if any(is_tensor(x) and same_memory(x, value) for x in tensors):
                self.confirm("it shares memory with " + what)
                return
        saved = inputs_of(ctx) if back else self.run.applied.get(type(ctx)._forward_cls)
        if any(map(is_tensor, saved or ())) and not (not back and any(is_tensor(x) and same_memory(x, value) for x in saved)):
            self.upheld(back or any(map(is_tensor, shared["a saved tensor"])))

    def kept_on_ctx(self):
        """Looks at what was kept: a value is gone with its graph, unless the graph holds it."""
        alive = []
        for ref in self.kept:
            value = ref()
            if value is None:
                self.upheld()
                continue
            alive.append(ref)
            if any(v is value for v in contents(getattr(value.grad_fn, "__dict__", {}))):
                self.confirm("the graph of the output holds the output")
        self.kept = alive

    def end(self):
        self.kept_on_ctx()

    def holds(self):
        return "it shared memory with none of them"


def arguments(frame):
    """Returns what the function of a frame was called with, by position."""
    code, count = frame.f_code, frame.f_code.co_argcount
    out = [frame.f_locals.get(name) for name in code.co_varnames[:count]]
    if code.co_flags & inspect.CO_VARARGS:
        out += frame.f_locals.get(code.co_varnames[count + code.co_kwonlyargcount], ())
    return out


def contents(value, depth=3):
    """Yields what a dict, list or tuple holds, and what these hold."""
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ():
        yield part
        if depth:
            yield from contents(part, depth - 1)


def _in_place(call):
    return isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_")
