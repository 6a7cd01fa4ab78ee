"""0 * -inf in sums over probabilities."""

import torch
import torch.nn as nn
import torch.nn.functional as F

a = nn.Linear(4, 3)


def spread(t):
    return -(t * t.log()).sum(-1)  # bug: GRAD011


def through_a_helper(x, m):
    b = a(x)
    c = torch.where(m, b, torch.tensor(0.0))
    c = c.masked_fill(~m, -1e10)
    return spread(F.softmax(c, dim=-1))


def multiplied(x, m: torch.Tensor):
    d = F.softmax(a(x), -1) * (m > 0)
    e = d / d.sum(-1, keepdim=True)
    return torch.sum(torch.log(e) * e, -1)  # bug: GRAD011


def divergence(x, y, m):
    g = F.log_softmax(a(x).masked_fill(m, float("-inf")), -1)
    h = F.log_softmax(a(y), -1)
    return (g.exp() * (g - h)).sum()  # bug: GRAD011
