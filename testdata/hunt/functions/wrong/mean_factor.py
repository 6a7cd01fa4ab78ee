# pattern: constant factor 48
"""The mean is taken for a sum."""

import torch


class Mean(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.mean()

    @staticmethod
    def backward(ctx, g):
        return g.expand(ctx.shape)  # bug


if __name__ == "__main__":
    x = torch.randn(8, 6, requires_grad=True)
    (3 * Mean.apply(x)).backward()
