"""Logarithms of what a network's output was squashed to."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.functional import softmax as s

a = nn.Linear(4, 3)
c = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())


def imported(x):
    return s(a(x), dim=1).log()  # bug: GRAD010


def squash(t):
    return F.softmax(t, dim=-1)


def through_a_helper(x):
    b = squash(a(x))
    e = b.float()
    return torch.log(e)  # bug: GRAD010


def pair(x):
    z = a(x)
    return z, z.softmax(-1)


def in_a_tuple(x):
    _, d = pair(x)
    return (d.log() * 2).sum()  # bug: GRAD010


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.f, self.g = nn.Linear(4, 1), nn.Sigmoid()

    def forward(self, x):
        return self.g(self.f(x))


h = Critic()


def of_a_layer(x, y):
    one = -torch.log(c(x)).mean()  # bug: GRAD010
    other = -torch.log(1.0 - h(y)).mean()  # bug: GRAD010
    return one + other + torch.log1p(-h(y)).mean()  # bug: GRAD010
