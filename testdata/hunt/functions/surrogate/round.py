"""Rounds forwards and passes the gradient straight through."""

import torch


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, g):
        return g


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Round.apply(x).pow(2).sum().backward()
