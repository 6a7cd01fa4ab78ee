# pattern: missing chain-rule term sigmoid(x)
"""The product rule keeps one of its two terms, in a helper."""

import torch


def slope(x):
    s = torch.sigmoid(x)
    return x * s * (1 - s)


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * slope(x)  # bug: GRAD019


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Swish.apply(x).sum().backward()
