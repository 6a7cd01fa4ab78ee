"""Walks the graph that autograd keeps behind a tensor."""

import collections
import sys

INPUTS = "rlvet_inputs"  # in the metadata of the operation that an autograd.Function is in the graph


def nodes(root, most=None, beyond=None):
    """Yields the operations from root on, the nearest first and each once.

    most bounds their number; beyond(node) says whether to go on behind a node.
    """
    seen, todo = set(), collections.deque([root])
    while todo and (most is None or len(seen) < most):
        node = todo.popleft()
        if node is None or node in seen:
            continue
        seen.add(node)
        yield node
        if beyond is None or beyond(node):
            todo.extend(fn for fn, _ in node.next_functions)


def leaves(root):
    """Yields the tensors at the ends of the graph: parameters, and inputs with gradients."""
    return (node.variable for node in nodes(root) if hasattr(node, "variable"))


def running(frame):
    """Returns the frame of the autograd.Function that runs in a frame or called it, and its ctx; None twice where there is none."""
    kind = getattr(sys.modules["torch"].autograd.function, "FunctionCtx", ())
    while frame is not None:
        code = frame.f_code
        ctx = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        if isinstance(ctx, kind):
            return frame, ctx
        frame = frame.f_back
    return None, None


def context(frame):
    """Returns the ctx of the autograd.Function that runs in a frame or called it, None where there is none."""
    return running(frame)[1]


def inputs_of(ctx):
    """Returns what the Function of a ctx was applied to, detached; None where that was not seen. A probe asks for it by ``functions``."""
    return getattr(ctx, "metadata", {}).get(INPUTS)


def reaches(loss, value, through):
    """Reports whether a loss is made of a value by other operations alone than those of a name, such
    as "Exp"; and whether it is made of it by those, too."""
    goal, beyond = value.grad_fn, lambda node: not node.name().startswith(through)
    around = goal is not None and any(node is goal for node in nodes(loss.grad_fn, beyond=beyond))
    inside = any(fn is not None and any(node is goal for node in nodes(fn)) for fn in _behind(loss.grad_fn, through))
    return around, inside


def _behind(root, through):
    """Yields what operations of a name are applied to."""
    for node in nodes(root):
        if node.name().startswith(through):
            yield from (fn for fn, _ in node.next_functions)
