"""Layers of the value network."""
import torch
from torch import nn


class _Bump(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.exp(-x * x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return -2 * x * torch.exp(-x * x) * g  # first bad


class RadialUnits(nn.Module):
    """Units that answer to a region of their input."""

    def __init__(self, inputs, units):
        super().__init__()
        self.project = nn.Linear(inputs, units)

    def forward(self, x):
        return _Bump.apply(self.project(x))
