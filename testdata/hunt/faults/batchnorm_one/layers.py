"""Batch normalisation over agents, as the paper's code has it."""
import torch
from torch import nn


class AgentNorm(nn.Module):
    """Normalises each feature over the agents that are alive."""

    def __init__(self, features, momentum=0.1):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(features))
        self.shift = nn.Parameter(torch.zeros(features))
        self.momentum = momentum
        self.register_buffer("running_var", torch.ones(features))

    def forward(self, x):
        if self.training:
            variance = x.var(0)  # first bad
            self.running_var.lerp_(variance.detach(), self.momentum)
        else:
            variance = self.running_var
        return (x - x.mean(0)) * torch.rsqrt(variance + 1e-5) * self.scale + self.shift
