"""A linear layer with a fixed random wiring."""
import torch
from torch import nn


class Sparse(nn.Module):
    """Each output sees a random part of the inputs; weights are scaled by how many it sees."""

    def __init__(self, inputs, outputs, density):
        super().__init__()
        wiring = (torch.rand(outputs, inputs) < density).float()
        fan_in = wiring.sum(1, keepdim=True)
        weight = torch.randn(outputs, inputs) * wiring
        self.register_buffer("wiring", wiring)
        self.weight = nn.Parameter(weight / fan_in.sqrt())  # first bad
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return nn.functional.linear(x, self.weight * self.wiring, self.bias)
