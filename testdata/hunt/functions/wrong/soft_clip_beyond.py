# pattern: wrong only where x >
"""Beyond the bound the function goes on at a tenth of the slope, and the gradient does not know it."""

import torch


class SoftClip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.where(x > 1.5, 1.5 + 0.1 * (x - 1.5), x.clone())

    @staticmethod
    def backward(ctx, g):
        return g.clone()  # bug


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    SoftClip.apply(x).sum().backward()
