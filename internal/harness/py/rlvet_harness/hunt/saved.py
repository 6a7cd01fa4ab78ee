"""What backward was given, replaced by what it may have needed.

A tensor that forward saved is exchanged for an input, an output, or its own transpose;
when the gradient becomes the slope of forward, the wrong one was saved.
"""

from .slopes import relative


def repaired(case, comparisons, c):
    """Returns which saved tensor was the mistake, None where no exchange fixes it."""
    slots = _slots(case)
    tensors = [("input %s" % n, "input", leaf.detach()) for n, leaf in zip(case.names, case.leaves)]
    outputs = [("output" if i == 0 else "output %d" % i, "output", o.detach()) for i, o in enumerate(case.outputs())]
    for slot, tensor in slots.items():
        was = next(((said, kind) for said, kind, t in tensors + outputs if _same(t, tensor)), None)
        for said, kind, other in tensors + outputs + _transposes(tensor):
            if other.shape == tensor.shape and not _same(other, tensor) and _fixes(case, c, slot, other):
                return _say(was, said, kind, slot)
    return None


def _say(was, said, kind, slot):
    if kind == "transposed":
        return "transposed (%s is used as it is)" % (was[0] if was else slot[1])
    if was is None:
        return "wrong saved tensor: %s should be %s" % (slot[1], said)
    if was[1] != kind:
        return "saved %s instead of %s" % (was[1], kind)
    return "saved %s instead of %s" % (was[0], said)


def _transposes(tensor):
    square = tensor.dim() == 2 and tensor.shape[0] == tensor.shape[1]
    return [("its transpose", "transposed", tensor.t().contiguous())] if square else []


def _same(a, b):
    return a.shape == b.shape and bool((a.to(b.dtype) == b).all())


def _slots(case):
    """Returns the floating tensors that one evaluation saved, by kind and name."""
    slots = {}

    def pack(tensor):
        slots["saved", "saved tensor %d" % len(slots)] = tensor.detach()
        return tensor

    with case.torch.autograd.graph.saved_tensors_hooks(pack, _unpack):
        outputs = case.outputs()
    slots.update({("attribute", n): t.detach() for n, t in _attributes(case, _node(outputs)).items()})
    return {k: t for k, t in slots.items() if t.is_floating_point()}


def _unpack(tensor):
    return tensor


def _node(outputs):
    """Returns the node of the Function, which is what forward calls ctx."""
    node = outputs[0].grad_fn
    while node is not None and not getattr(type(node), "_forward_cls", None):
        node = node.next_functions[0][0] if node.next_functions else None
    return node


def _attributes(case, node):
    return {n: v for n, v in getattr(node, "__dict__", {}).items() if isinstance(v, case.torch.Tensor)}


def _fixes(case, c, slot, other):
    """Reports whether the gradient is right once a saved tensor is exchanged."""
    for weight, numeric in zip(case.weights, c.numeric):
        try:
            gradient = _gradient(case, c, slot, other, weight)
        except (RuntimeError, TypeError, ValueError):
            return False
        if gradient is None or not _right(c, gradient, numeric):
            return False
    return True


def _right(c, gradient, numeric):
    scale = max((abs(numeric[k]) for k in c.smooth()), default=0.0)
    bound, floor = c.case.precision.tolerance, max(1e-12, c.case.precision.least * scale)
    return all(relative(c.moves[k].along(gradient), numeric[k], floor) <= 2 * bound for k in c.smooth())


def _gradient(case, c, slot, other, weight):
    count = [0]

    def pack(tensor):
        number, count[0] = count[0], count[0] + 1
        return other.clone() if slot == ("saved", "saved tensor %d" % number) else tensor

    with case.torch.autograd.graph.saved_tensors_hooks(pack, _unpack):
        outputs = case.outputs()
    if slot[0] == "attribute":
        setattr(_node(outputs), slot[1], other.clone())
    with case.randomness:
        return case.torch.autograd.grad(outputs, [c.leaf], case.incoming(outputs, weight), allow_unused=True)[0]
