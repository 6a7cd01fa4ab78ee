"""Numbers about a value: of a tensor, an array, a float, or a sequence of them."""

import math
import sys

from .graph import leaves


class Numbers:
    """What is worth telling of a value.

    count is the number of elements; low, high and mean are over the finite ones and
    None where there are none; bad, zeros and negative count elements.
    """

    __slots__ = ("count", "shape", "dtype", "low", "high", "mean", "nan", "inf", "zeros", "tiny", "negative", "requires_grad")

    def __init__(self):
        self.count, self.shape, self.dtype = 0, None, None
        self.low = self.high = self.mean = None
        self.nan = self.inf = self.zeros = self.tiny = self.negative = 0
        self.requires_grad = False

    @property
    def bad(self):
        """The number of elements that are NaN or infinite."""
        return self.nan + self.inf

    def brief(self):
        """Returns the numbers as a dictionary without what is empty."""
        out = {k: getattr(self, k) for k in self.__slots__}
        return {k: v for k, v in out.items() if v not in (None, 0, False) or k in ("low", "high", "mean")}


MOST_NAMED = 6  # elements whose types are told

# SUBNORMAL is the least normal float32: quotients by less overflow or lose all digits.
SUBNORMAL = 1.1754943508222875e-38


def is_tensor(value):
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch, "Tensor") and isinstance(value, torch.Tensor)


def is_array(value):
    """Reports whether a value is an array or a number of numpy whose elements all count: no masked array."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(numpy, "ndarray") or not isinstance(value, (numpy.ndarray, numpy.generic)):
        return False
    return not isinstance(value, getattr(getattr(numpy, "ma", None), "MaskedArray", ()))


def numbers(value):
    """Returns the Numbers of a value, or None for what holds no numbers."""
    if is_tensor(value):
        return None if value.is_meta else _of_tensor(value)
    if is_array(value):
        return _of_array(value)
    if isinstance(value, (bool, int, float)):
        return _of_list([float(value)], ())
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, (bool, int, float)) for v in value):
        return _of_list([float(v) for v in value], (len(value),))
    return None


def no_numbers(value, advice):
    """Says what a value is of which numbers returns None, and of one that has parts what to do."""
    text = "it holds no numbers: it is a %s" % type(value).__name__
    if is_tensor(value) and value.is_meta:
        text += " on the device meta"
    if isinstance(value, (list, tuple)):
        kinds = [type(v).__name__ for v in value[:MOST_NAMED]] + ["..."] * (len(value) > MOST_NAMED)
        text += " of %d (%s); %s" % (len(value), ", ".join(kinds), advice) if value else " without elements"
    return text


def _of_tensor(value):
    torch = sys.modules["torch"]
    n = Numbers()
    n.count, n.shape, n.dtype = value.numel(), tuple(value.shape), str(value.dtype).replace("torch.", "")
    n.requires_grad = bool(value.requires_grad)
    if n.count == 0 or value.is_complex():
        return n
    with torch.no_grad():
        x = value.detach()
        if x.layout != torch.strided:
            x = x.to_dense()
        x = x.to(torch.float64 if x.device.type != "mps" else torch.float32)
        finite = x[torch.isfinite(x)]
        n.nan = int(torch.isnan(x).sum())
        n.inf = n.count - n.nan - finite.numel()
        n.zeros = int((x == 0).sum())
        n.tiny = int((x.abs() < SUBNORMAL).sum())
        n.negative = int((x < 0).sum())
        if finite.numel():
            n.low, n.high, n.mean = float(finite.min()), float(finite.max()), float(finite.mean())
    return n


def _of_array(value):
    numpy = sys.modules["numpy"]
    n = Numbers()
    n.count, n.shape, n.dtype = int(numpy.size(value)), tuple(numpy.shape(value)), str(value.dtype)
    if n.count == 0 or value.dtype.kind not in "biuf":
        return n if value.dtype.kind in "biuf" else None
    x = numpy.asarray(value, dtype=numpy.float64)
    finite = x[numpy.isfinite(x)]
    n.nan = int(numpy.isnan(x).sum())
    n.inf = n.count - n.nan - int(finite.size)
    n.zeros = int((x == 0).sum())
    n.tiny = int((numpy.abs(x) < SUBNORMAL).sum())
    n.negative = int((x < 0).sum())
    if finite.size:
        n.low, n.high, n.mean = float(finite.min()), float(finite.max()), float(finite.mean())
    return n


def _of_list(values, shape):
    n = Numbers()
    n.count, n.shape, n.dtype = len(values), shape, "float"
    finite = [v for v in values if math.isfinite(v)]
    n.nan = sum(math.isnan(v) for v in values)
    n.inf = n.count - n.nan - len(finite)
    n.zeros = sum(v == 0 for v in values)
    n.tiny = sum(abs(v) < SUBNORMAL for v in values)
    n.negative = sum(v < 0 for v in values)
    if finite:
        n.low, n.high, n.mean = min(finite), max(finite), sum(finite) / len(finite)
    return n


def parameters_of(optimizer):
    """Returns the parameters that an optimizer changes, of all its groups."""
    return [p for group in optimizer.param_groups for p in group["params"]]


def is_gone(parameter):
    """Reports whether a parameter has no gradient, or one of zeros."""
    return parameter.grad is None or not bool(parameter.grad.any())


def same_numbers(one, other):
    """Reports whether two tensors have one shape and the same numbers, on whatever devices."""
    return one.shape == other.shape and bool((one.detach().to(other.device) == other).all())


def owned_leaf(value, owned):
    """Reports whether a parameter in owned (ids) is reachable through grad_fn."""
    if not is_tensor(value) or not value.requires_grad:
        return False
    if value.grad_fn is None:
        return id(value) in owned
    return any(id(leaf) in owned for leaf in leaves(value.grad_fn))
