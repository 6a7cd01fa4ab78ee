"""Tells what a tensor was made of: of a softmax, of an exponential, of a layer's scores.

Where a tensor has a gradient, its graph knows. Without one, as when actions are drawn,
a few functions are wrapped for probes that ask for it (``follows``), and note for the
memory that they wrote what it was made of. Sums, products and views hand that on.
"""

import sys
import weakref

from .graph import nodes
from .observe import is_tensor

# PROPORTIONS turn scores into weights; SCORES yield numbers of either sign.
PROPORTIONS = ("softmax", "exp", "sigmoid", "softplus", "relu", "bincount", "one_hot", "rand", "ones", "normalize", "abs", "square")
SCORES = ("linear", "log_softmax", "randn", "matmul", "addmm", "mm", "bmm", "conv1d", "conv2d", "tanh")
CARRYING = (
    "add", "sub", "mul", "div", "__add__", "__sub__", "__mul__", "__truediv__", "__radd__", "__rmul__", "clamp", "masked_fill", "where",
    "gather", "float", "double", "to", "clone", "contiguous", "cat", "__getitem__", "select", "view", "reshape", "squeeze", "unsqueeze",
    "transpose", "flatten", "detach", "index_select",
)

# _made maps the address of memory to the names, and to the tensors that hold it: the
# memory of a tensor that is gone may be anything.
_made = {}


def install(torch, run):
    """Wraps the functions, if a probe follows values."""
    if not any(getattr(w.probe, "follows", False) for w in run.watches.values()):
        return
    for owner in (torch, torch.nn.functional, torch.Tensor):
        for name in PROPORTIONS + SCORES + CARRYING:
            function = getattr(owner, name, None)
            if callable(function) and not isinstance(function, type):
                setattr(owner, name, _noting(function, name))


def _noting(function, name):
    own = frozenset() if name in CARRYING else frozenset([name])

    def call(*args, **kwargs):
        out = function(*args, **kwargs)
        if isinstance(out, sys.modules["torch"].Tensor):
            _note(out, own or frozenset().union(*map(_known, args)))
        return out

    call.__name__, call.__wrapped__ = name, function
    return call


def _known(value):
    if isinstance(value, (list, tuple)):
        return frozenset().union(*map(_known, value))
    made = _made.get(_address(value)) if is_tensor(value) else None
    return made[0] if made is not None and _is_held(made) else frozenset()


def _is_held(made):
    return any(owner() is not None for owner in made[1])


def _note(tensor, names):
    address = _address(tensor)
    if not address:
        return
    if not names:
        _made.pop(address, None)
        return
    made = _made.get(address)
    if made is not None and made[0] == names and _is_held(made):  # a view
        made[1].append(weakref.ref(tensor))
        return
    _made[address] = (names, [weakref.ref(tensor)])
    if len(_made) > 4096:
        for old in [a for a, made in _made.items() if not _is_held(made)]:
            del _made[old]


def _address(tensor):
    try:
        return tensor.storage().data_ptr()
    except (RuntimeError, NotImplementedError):
        return 0


# MATRIX are operations of the graph behind which nothing matters any more.
MATRIX = ("addmm", "mm", "bmm", "linear", "convolution", "embedding")


def made_of(tensor):
    """Returns the names of the functions that a tensor's numbers come from: empty where
    nothing was seen."""
    if getattr(tensor, "grad_fn", None) is not None:
        return _in_graph(tensor.grad_fn)
    return _known(tensor)


def _in_graph(root):
    """Returns the names in the graph, not looking behind those that are found."""
    found = (_known_operation(node) for node in nodes(root, 200, lambda node: _known_operation(node) is None))
    return frozenset(name for name in found if name is not None)


def _known_operation(node):
    """Returns the function whose backward a node is, or None for one that says nothing."""
    name = type(node).__name__.replace("Backward", "").rstrip("0123456789").strip("_").lower()
    plain = {"logsoftmax": "log_softmax"}.get(name, name)
    if plain in PROPORTIONS or plain in SCORES:
        return plain
    return "linear" if name in MATRIX else None


# Through these functions of one tensor scores become actions, or values of actions.
TAKING = ("multinomial", "gather", "softmax", "log_softmax", "max", "amax", "argmax")


def install_draws(torch, run):
    """Tells probes with a ``drawn`` method of the tensors from which actions are taken: the
    tensor, the function (Categorical for probabilities, logits for those of a Categorical),
    and the dimension along which it takes them, None where that is not said."""
    probes = [w.probe for w in run.watches.values() if hasattr(w.probe, "drawn")]
    if not probes:
        return

    def tell(tensor, how, dimension):
        if isinstance(tensor, torch.Tensor):
            for probe in probes:
                probe.guarded(probe.drawn, tensor, how, dimension)

    def taking(function, how):
        def call(*args, **kwargs):
            tensor = args[0] if args else kwargs.get("input")
            dimension = -1 if how == "multinomial" else args[1] if len(args) > 1 else kwargs.get("dim")
            tell(tensor, how, dimension)
            return function(*args, **kwargs)

        call.__name__, call.__wrapped__ = how, function
        return call

    for owner in (torch, torch.Tensor, torch.nn.functional):
        for name in TAKING:
            if hasattr(owner, name):
                setattr(owner, name, taking(getattr(owner, name), name))
    categorical = torch.distributions.Categorical
    init = categorical.__init__

    def __init__(self, probs=None, logits=None, *args, **kwargs):
        tell(*((probs, "Categorical") if probs is not None else (logits, "logits")), -1)
        init(self, probs, logits, *args, **kwargs)

    categorical.__init__ = __init__


def same_memory(a, b):
    """Reports whether two tensors are views of one memory."""
    return bool(_address(a)) and _address(a) == _address(b)
