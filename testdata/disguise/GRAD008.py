"""Branches that are dropped on the way forwards only."""

import torch
import torch.nn as nn

a = nn.Linear(4, 3)


def root(t):
    return torch.sqrt(t)  # bug: GRAD008


def through_a_helper(x):
    b = a(x)
    c = root(b)
    keep = b > 0
    return torch.where(keep, c, b * 0)


def filled(x):
    d = a(x) ** 2
    n = d.sum(-1)
    return (d / n.unsqueeze(-1)).masked_fill(n.unsqueeze(-1) == 0, 0.0)  # bug: GRAD008


def other_way_round(x):
    e = a(x)
    return torch.where(~(e.ge(1e-8)), torch.zeros_like(e), e.pow(0.5))  # bug: GRAD008


def checked_afterwards(x, w: torch.Tensor):
    f = a(x).exp()
    g = f / w  # bug: GRAD008
    return torch.where(torch.isfinite(g), g, torch.zeros_like(g))


def scaled(x):
    k = a(x)
    return torch.where((k > 0) & (x[:, :3] > 0), 1 - 3 * k.rsqrt(), k)  # bug: GRAD008
