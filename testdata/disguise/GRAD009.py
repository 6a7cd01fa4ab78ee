"""Roots of what is exactly 0 at some places."""

import torch
import torch.nn as nn

a = nn.Linear(4, 3)


def length(t):
    return t.square().sum(-1)


def through_a_helper(x):
    b = a(x)
    c = b.unsqueeze(0) - b.unsqueeze(1)
    return torch.sqrt(length(c)).mean()  # bug: GRAD009


def between(u, v):
    return ((u[:, None, :] - v[None, :, :]) ** 2).sum(dim=-1) ** 0.5  # bug: GRAD009


def with_itself(x):
    d = a(x)
    return between(d, d)


def product(x):
    e = a(x)
    f = e[None] - e[:, None]
    return (f * f).sum(2).pow(0.5)  # bug: GRAD009
