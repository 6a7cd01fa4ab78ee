# pattern: any
# order: 2
"""Backward is right, but what it uses was computed without a graph: its own derivative is wrong."""

import torch


class Sigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.y = torch.sigmoid(x)
        return ctx.y.clone()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.y * (1 - ctx.y)  # bug


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    y = Sigmoid.apply(x)
    (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (y.sum() + slope.pow(2).sum()).backward()
