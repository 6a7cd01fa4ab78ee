"""The numbers of many tensors at once.

The time of an operation on a small tensor is that of its call, so those of many tensors of one
shape are computed as the rows of one: a dozen calls, and one wait for a GPU, for all of them.
"""

import math
import sys


def can_wait(tensor):
    """Reports whether a tensor is one whose numbers are computed with those of others."""
    torch = sys.modules["torch"]
    return tensor.layout == torch.strided and not tensor.is_complex() and not tensor.is_quantized and tensor.numel() > 0


def numbers_together(tensors, clip):
    """Returns a dictionary of numbers for each tensor; with clip, which is no None, those of a ratio, too."""
    alike = {}
    for i, tensor in enumerate(tensors):
        alike.setdefault((tensor.shape, tensor.dtype, tensor.device), []).append(i)
    out = [None] * len(tensors)
    for (shape, dtype, _), places in alike.items():
        own = {"count": math.prod(shape), "shape": tuple(shape), "dtype": str(dtype).replace("torch.", "")}
        names, rows = _rows([tensors[i] for i in places], dtype.is_floating_point, clip)
        for i, row in zip(places, rows):
            out[i] = {**own, **_told(dict(zip(names, row)), own["count"])}
    return out


def _rows(tensors, floating, clip):
    """Returns names of numbers, and those numbers of each tensor."""
    torch = sys.modules["torch"]
    with torch.no_grad():
        x = torch.stack(tensors).reshape(len(tensors), -1)
        x = x.to(torch.float64 if x.device.type != "mps" else torch.float32)
        finite = torch.isfinite(x)
        count = finite.sum(1)
        of = {
            "finite": count, "nan": torch.isnan(x).sum(1), "zeros": (x == 0).sum(1), "mean": x.where(finite, x.new_zeros(())).sum(1) / count,
            "low": x.where(finite, x.new_full((), math.inf)).amin(1), "high": x.where(finite, x.new_full((), -math.inf)).amax(1),
        }
        if floating and x.shape[1] > 1:
            of["std"] = x.std(1)
        if floating and clip is not None:
            of["clipped"] = ((x - 1).abs() > clip).to(x.dtype).mean(1)
            of["kl"] = (x - 1 - x.log()).mean(1)
        return list(of), torch.stack([c.to(x.dtype) for c in of.values()], 1).tolist()


def _told(row, count):
    """Returns the numbers of a row that are known: the mean and the extremes are those of finite numbers, and what a
    ratio has is that of finite ones."""
    finite, nan = int(row.pop("finite")), int(row.pop("nan"))
    row["zeros"], row["nan"], row["inf"] = int(row["zeros"]), nan, count - nan - finite
    if finite == 0:
        row.update(mean=None, low=None, high=None)
    if finite < count or row["low"] <= 0:
        row.pop("kl", None)
    if finite < count:
        row.pop("clipped", None)
    return row
