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
