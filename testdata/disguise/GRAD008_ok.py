"""Branches whose gradient is finite where they are dropped."""

import torch
import torch.nn as nn

a = nn.Linear(4, 3)


def double(x):
    b = a(x)
    keep = b > 0
    safe = torch.where(keep, b, torch.ones_like(b))
    return torch.where(keep, safe.sqrt(), torch.zeros_like(b))


def reduced(x, w: torch.Tensor):
    c = a(x)
    return torch.where(w > 0, c * w, c / 2)


def kept_from_zero(x):
    d = a(x)
    return torch.where(d > 0, 1 / (d.abs() + 1.0), d)


def steps(x, lengths: torch.Tensor):
    e = a(x).sum(-1)
    return torch.where(lengths > 0, e / lengths.clamp(min=1), e)


def constants(x):
    f = a(x)
    return torch.where(f > 0, f / 3.0, f**2)
