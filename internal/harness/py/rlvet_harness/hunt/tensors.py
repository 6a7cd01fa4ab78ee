"""Looks at tensors: whether their numbers are finite, and what they are like."""

import math

from ..observe import numbers


def is_bad(tensor):
    """Reports whether a tensor holds NaN or infinity; False for what holds no floats."""
    if tensor.numel() == 0 or not (tensor.is_floating_point() or tensor.is_complex()):
        return False
    if not is_plain(tensor):
        return False
    flat = tensor.detach()
    try:
        total = complex(flat.sum()) if flat.is_complex() else float(flat.sum())
        if not math.isnan(total.real) and not math.isinf(total.real):
            return total.imag - total.imag != 0
    except RuntimeError:  # half precision on an old CPU build has no sum
        flat = flat.float()
    return not bool(_torch().isfinite(flat).all())  # a sum may overflow


def is_plain(tensor):
    """Reports whether a tensor has memory of its own in which its elements lie."""
    return tensor.layout == _torch().strided and tensor.device.type != "meta"


def has_nan(tensor):
    return bool(_torch().isnan(tensor.detach()).any())


def stats(tensor):
    """Returns what a tensor is like: shape, dtype, NaNs and infinities counted, and least,
    greatest, mean and Euclidean norm of the finite ones."""
    n = numbers(tensor)
    out = {"shape": list(n.shape), "dtype": n.dtype, "count": n.count}
    if n.count == 0 or not tensor.is_floating_point():
        return out
    out.update(nan=n.nan, inf=n.inf)
    if n.low is not None:
        x = tensor.detach().double()
        out.update(min=n.low, max=n.high, mean=n.mean, norm=float(x[_torch().isfinite(x)].norm()))
    return out


def said(s):
    """Says in a few words what is not finite in a tensor of these statistics."""
    parts = ["%d %s" % (s[k], word) for k, word in (("nan", "NaN"), ("inf", "infinite")) if s.get(k)]
    return "%s of %d" % (" and ".join(parts) or "none", s["count"])


def tensors_in(value, depth=3):
    """Yields the tensors in a value: a tensor, or lists, tuples and dicts of some."""
    if isinstance(value, _torch().Tensor):
        yield value
    elif depth and isinstance(value, (list, tuple)):
        for v in value:
            yield from tensors_in(v, depth - 1)
    elif depth and isinstance(value, dict):
        for v in value.values():
            yield from tensors_in(v, depth - 1)
    elif depth and hasattr(value, "to_tuple"):  # outputs of transformers
        yield from tensors_in(value.to_tuple(), depth - 1)


def numbers_bad(value, depth=3):
    """Reports whether floats, arrays or tensors in a value hold NaN or infinity; says
    which: "nan", "inf" or ""."""
    if isinstance(value, float):
        return "nan" if value != value else "inf" if math.isinf(value) else ""
    if isinstance(value, (str, bytes, int, type(None))):
        return ""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind in ("f", "c") and hasattr(value, "any"):  # an array or a scalar of numpy
        wrong = value - value  # NaN where not finite; warns of nothing under errstate
        if not bool((wrong != wrong).any()):
            return ""
        return "nan" if bool((value != value).any()) else "inf"
    if hasattr(value, "is_floating_point"):
        return ("nan" if has_nan(value) else "inf") if is_bad(value) else ""
    if depth and isinstance(value, dict):
        return _worst(numbers_bad(v, depth - 1) for v in value.values())
    if depth and isinstance(value, (list, tuple)):
        return _worst(numbers_bad(v, depth - 1) for v in value)
    return ""


def _worst(kinds):
    kinds = set(kinds)
    return "nan" if "nan" in kinds else "inf" if "inf" in kinds else ""


def _torch():
    import torch  # the program has imported it

    return torch
