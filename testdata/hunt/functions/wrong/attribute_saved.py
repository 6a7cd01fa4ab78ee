# pattern: saved input instead of output
"""The wrong tensor is kept as an attribute of ctx."""

import torch


class Sigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.sigmoid(x)
        ctx.y = x
        return y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.y * (1 - ctx.y)  # bug: GRAD019


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Sigmoid.apply(x).sum().backward()
