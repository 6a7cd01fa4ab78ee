"""Geometry for the drone."""
import torch


def unit(v, eps=1e-9):
    return v / (v.norm(dim=-1, keepdim=True) + eps)


def angle_between(a, b):
    """Angle in radians between vectors along the last axis."""
    cosine = (unit(a) * unit(b)).sum(-1).clamp(-1.0, 1.0)
    return torch.acos(cosine)  # first bad


class Heading(torch.nn.Module):
    """Maps features to a direction in the plane, rounded to eight winds for the motors."""

    def __init__(self, inputs):
        super().__init__()
        self.linear = torch.nn.Linear(inputs, 2)

    def forward(self, x):
        raw = self.linear(x)
        return raw + (raw.round() - raw).detach()
