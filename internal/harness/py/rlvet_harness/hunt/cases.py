"""Cases of an autograd.Function, of its derivative, and of a module."""

import copy

from .replay import Case


def of_function(torch, apply, names, args, precision):
    """Makes a case of an autograd.Function and what it was applied to.

    Each evaluation gets copies of the leaves, since forward may change its inputs; they
    are no leaves themselves, which PyTorch would not let it change.
    """
    dtype = getattr(torch, precision.name)
    args = [_copied(torch, a, dtype) for a in args]
    places = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.requires_grad]

    def compute():
        case.given = dict(zip(names, [_clone(torch, a) for a in args]))
        return apply(*case.given.values())

    case = Case(torch, [args[i] for i in places], [names[i] for i in places], compute, precision)
    case.arguments = dict(zip(names, args))
    case.numbers = {n: float(a) for n, a in zip(names, args) if isinstance(a, (int, float)) and not isinstance(a, bool)}
    return case


def _copied(torch, value, dtype):
    if not isinstance(value, torch.Tensor):
        return value
    copy = value.detach().clone(memory_format=torch.contiguous_format)
    return copy.to(dtype).requires_grad_() if value.is_floating_point() else copy


def of_gradients(case):
    """Makes a case of what backward of another case returns, as a function of its leaves and of
    the incoming gradient: what double backward differentiates."""
    torch, leaf = case.torch, case.leaves[0]
    incoming = case.weights[0].detach().clone().to(leaf.device, leaf.dtype).requires_grad_()

    def compute():
        outputs = case.carriers(case.compute())
        parts = torch.split(incoming.clone(), [o.numel() for o in outputs])
        weights = [p.view(o.shape).to(o.dtype) for p, o in zip(parts, outputs)]
        return [g for g in torch.autograd.grad(outputs, case.leaves, weights, allow_unused=True, create_graph=True) if g is not None]

    return Case(torch, [*case.leaves, incoming], [*case.names, "grad_output"], compute, case.precision)


def of_module(torch, module, args, kwargs, precision):
    """Makes a case of a copy of a module and what it was called with; leaves are its
    floating inputs and its parameters. Its buffers are the same in each evaluation."""
    dtype = getattr(torch, precision.name)
    module = copy.deepcopy(module).to(dtype)
    args = [_copied(torch, a, dtype) for a in args]
    kwargs = {k: _copied(torch, v, dtype) for k, v in kwargs.items()}
    buffers = [(m, n, b) for m in module.modules() for n, b in m._buffers.items() if b is not None]

    def compute():
        for m, n, b in buffers:
            m._buffers[n] = b.clone()
        return list(_tensors(torch, module(*[_clone(torch, a) for a in args], **{k: _clone(torch, v) for k, v in kwargs.items()})))

    leaves = {n: t for n, t in (*(("input %d" % i, a) for i, a in enumerate(args)), *kwargs.items()) if isinstance(t, torch.Tensor) and t.requires_grad}
    inputs = tuple(leaves)
    leaves.update((n, p) for n, p in module.named_parameters() if p.requires_grad and p.is_contiguous())
    case = Case(torch, list(leaves.values()), list(leaves), compute, precision)
    case.inputs = inputs
    return case


def _clone(torch, value):
    return value.clone() if isinstance(value, torch.Tensor) else value


def _tensors(torch, out):
    """Yields the tensors in what a module returns."""
    if isinstance(out, torch.Tensor):
        yield out
    elif isinstance(out, dict):
        for value in out.values():
            yield from _tensors(torch, value)
    elif isinstance(out, (list, tuple)):
        for value in out:
            yield from _tensors(torch, value)
    elif hasattr(out, "logits") or hasattr(out, "loc"):  # a distribution
        yield out.logits if hasattr(out, "logits") else out.loc
