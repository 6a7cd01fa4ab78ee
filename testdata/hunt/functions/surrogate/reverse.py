"""Gradient reversal, as in domain-adversarial training."""

import torch


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.weight = weight
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.weight * g, None


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Reverse.apply(x, 0.3).sum().backward()
