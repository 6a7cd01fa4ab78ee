"""Scores of networks whose layers a loop appends, and scores that are masked, passed as probabilities."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


def dense(sizes, activation=nn.Tanh, last=nn.Identity):
    layers = []
    for i in range(len(sizes) - 1):
        layers += [nn.Linear(sizes[i], sizes[i + 1]), (activation if i < len(sizes) - 2 else last)()]
    return nn.Sequential(*layers)


def tower(width, hidden, actions):
    layers = []
    for h in hidden:
        layers.append(nn.Linear(width, h))
        layers.append(nn.ReLU())
        width = h
    return nn.Sequential(*layers, nn.Linear(width, actions))


class Actor(nn.Module):
    def __init__(self, width, hidden, actions):
        super().__init__()
        self.net = dense([width] + list(hidden) + [actions])
        self.other = tower(width, hidden, actions)

    def forward(self, obs):
        return Categorical(self.net(obs)), Categorical(probs=self.other(obs))  # bug: DIST001


def choose(scores, taken):
    scores = scores.masked_fill(taken, float("-inf"))
    return Categorical(scores / 0.7).sample()  # bug: DIST001


def padded(scores, first):
    parts = [scores, F.pad(first, (0, 1), value=-1e9)]
    return Categorical(torch.cat(parts, dim=-1)).sample()  # bug: DIST001
