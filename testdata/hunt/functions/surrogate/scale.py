"""A layer learns at a tenth of the speed."""

import torch


class Slow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return 0.1 * g


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Slow.apply(x).pow(2).sum().backward()
