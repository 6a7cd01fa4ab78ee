"""Tells which operation produced a tensor.

Where the tensor has a gradient, the graph knows. Else a few functions that turn scores
into proportions are wrapped when a probe asks for it (``follows``), and mark the memory
that they wrote.
"""

import sys
import weakref

_makers = {}  # address of the memory -> name of the function, and the tensor that owns it

FOLLOWED = ("softmax", "exp", "sigmoid", "softplus", "log_softmax", "relu", "linear", "matmul", "addmm", "div", "bincount", "one_hot", "rand", "randn", "ones")


def install(torch, run):
    """Wraps the functions by which weights are made, where a probe follows values."""
    if not any(getattr(w.probe, "follows", False) for w in run.watches.values()):
        return
    for owner in (torch, torch.nn.functional, torch.Tensor):
        for name in FOLLOWED:
            if callable(getattr(owner, name, None)):
                setattr(owner, name, _noting(getattr(owner, name), name))


def _noting(function, name):
    def call(*args, **kwargs):
        out = function(*args, **kwargs)
        if isinstance(out, sys.modules["torch"].Tensor):
            _note(out, name)
        return out

    call.__name__, call.__wrapped__ = name, function
    return call


def _note(tensor, name):
    address = _address(tensor)
    if address:
        _makers[address] = (name, weakref.ref(tensor))
    if len(_makers) > 10000:
        for old in [a for a, (_, ref) in _makers.items() if ref() is None]:
            del _makers[old]


def _address(tensor):
    try:
        return tensor.storage().data_ptr()
    except (RuntimeError, NotImplementedError):
        return 0


# Through these operations of the graph the values of a tensor pass as they are.
PASSING = ("View", "Reshape", "Squeeze", "Unsqueeze", "Slice", "Select", "Expand", "Clone", "Copy", "Transpose", "Permute", "Index", "Alias", "ToCopy", "Cat", "Stack", "T")


def made_by(tensor):
    """Returns the name of the operation that made a tensor's values, or None."""
    node = getattr(tensor, "grad_fn", None)
    while node is not None:
        name = type(node).__name__.replace("Backward", "").rstrip("0123456789")
        if name not in PASSING:
            return name.lower()
        node = node.next_functions[0][0] if node.next_functions else None
    made = _makers.get(_address(tensor))
    return made[0] if made is not None else None


# Draws are the functions by which actions are taken along the last dimension of weights.
def install_draws(torch, run):
    """Tells probes with a ``drawn`` method of the tensors from which actions are taken: the
    tensor, the function, and the dimension along which it takes them."""
    probes = [w.probe for w in run.watches.values() if hasattr(w.probe, "drawn")]
    if not probes:
        return

    def tell(tensor, how, dimension):
        if isinstance(tensor, torch.Tensor):
            for probe in probes:
                probe.guarded(probe.drawn, tensor, how, dimension)

    def drawing(function, how):
        def call(weights, *args, **kwargs):
            tell(weights, how, (args[0] if args else kwargs.get("dim")) if how == "gather" else -1)
            return function(weights, *args, **kwargs)

        return call

    for owner in (torch, torch.Tensor):
        for name in ("multinomial", "gather"):
            setattr(owner, name, drawing(getattr(owner, name), name))
    categorical = torch.distributions.Categorical
    init = categorical.__init__

    def __init__(self, probs=None, logits=None, *args, **kwargs):
        tell(probs if probs is not None else logits, "Categorical", -1)
        init(self, probs, logits, *args, **kwargs)

    categorical.__init__ = __init__


def same_memory(a, b):
    """Reports whether two tensors are views of one memory."""
    return bool(_address(a)) and _address(a) == _address(b)
