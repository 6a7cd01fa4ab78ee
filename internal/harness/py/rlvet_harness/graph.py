"""Walks the graph that autograd keeps behind a tensor."""

import collections


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
