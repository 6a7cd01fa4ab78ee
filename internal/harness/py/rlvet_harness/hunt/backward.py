"""Sees which node of the graph makes a gradient that is not finite.

Hooks on the nodes say whose work the operations of backward were: those of one node lie
between the hook of the node before and its own. Where the node was made in forward,
anomaly mode keeps; it is on for the steps that are looked at, without its own checks.
Hooks on modules for the whole of backward are not used: they break modules that work in
place (pytorch/pytorch#61519).
"""

from ..graph import nodes
from . import places, tensors

MODULE = "rlvet_module"
MOST_NODES = 20000


def watch(run, operations, loss):
    """Hooks the graph below a loss. Returns its nodes: as long as nobody else holds them,
    the garbage collector takes a hook that knows its node for a cycle, and clears it."""
    if loss.grad_fn is None:
        return []
    hooked = [n for n in nodes(loss.grad_fn, MOST_NODES) if not hasattr(n, "variable")]
    for node in hooked:
        node.register_hook(_look(run, operations, node))
    return hooked


def _look(run, operations, node):
    def look(inputs, outputs):
        if operations.pending:
            _attribute(run, operations, node, inputs, outputs)

    return look


def _attribute(run, operations, node, inputs, outputs):
    pending, operations.pending = operations.pending, []
    place = places.of_node(run, node)
    for record in pending:
        record.op = type(node).__name__
        record.module = (node.metadata or {}).get(MODULE)
        record.function = record.function or function_of(node)
        if place is not None:
            record.place, record.text = place, places.source(run, place)
        if not record.parents:
            record.inputs = [tensors.stats(t) for t in outputs if t is not None][:4]
            record.outputs = [tensors.stats(t) for t in inputs if t is not None][:4]


def function_of(node):
    """Returns the name of the autograd.Function whose node it is, or None."""
    own = getattr(type(node), "_forward_cls", None)
    return own.__qualname__ if own is not None else None


def tag(module, path, inputs, output):
    """Writes the path of a module to the nodes that its forward made. Inner modules end
    first, so that a node keeps the innermost."""
    before = {t.grad_fn for t in tensors.tensors_in(inputs) if t.grad_fn is not None}
    waiting = [t.grad_fn for t in tensors.tensors_in(output) if t.grad_fn is not None]
    for _ in range(MOST_NODES):
        if not waiting:
            return
        node = waiting.pop()
        if node is None or node in before or hasattr(node, "variable") or MODULE in node.metadata:
            continue
        node.metadata[MODULE] = path
        waiting.extend(following for following, _ in node.next_functions)
