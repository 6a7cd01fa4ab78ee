"""What the agent of train.py is made of."""
import torch
from torch import nn


class Encoder(nn.Module):
    """Maps an observation to features of non-negative activations."""

    def __init__(self, inputs, features):
        super().__init__()
        self.first = nn.Linear(inputs, 32)
        self.second = nn.Linear(32, features)

    def forward(self, x):
        return torch.relu(self.second(torch.relu(self.first(x))))


class Novelty(nn.Module):
    """How far a step went, in the features of an encoder."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, before, after):
        moved = self.encoder(after) - self.encoder(before)
        return (moved * moved).sum(-1).sqrt()  # first bad


class Head(nn.Module):
    def __init__(self, features, outputs):
        super().__init__()
        self.linear = nn.Linear(features, outputs)
        nn.init.orthogonal_(self.linear.weight, 0.1)

    def forward(self, x):
        return self.linear(x)
