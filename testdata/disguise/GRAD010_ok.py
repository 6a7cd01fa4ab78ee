"""Logarithms that cannot be infinite, and those of which no gradient is taken."""

import torch
import torch.nn as nn
import torch.nn.functional as F

a = nn.Linear(4, 3)


def squash(t):
    return F.softmax(t, dim=-1)


def guarded(x):
    p = squash(a(x))
    q = p.clamp_min(1e-7)
    r = torch.max(p, torch.full_like(p, 1e-6))
    return torch.log(p + 1e-10) + q.log() + r.log()


def drawn(x):
    p = squash(a(x))
    i = torch.multinomial(p, 1)
    return p.gather(1, i).log()


def detached(x):
    return torch.log(squash(a(x)).detach())


def of_data(p: torch.Tensor):
    return torch.log(torch.softmax(p, -1))


def plain(x):
    return F.log_softmax(a(x), -1) + F.logsigmoid(a(x))
