# pattern: missing factor -x
"""The derivative of exp(-x^2 / 2) has lost its -x."""

import torch


class Gaussian(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.exp(-0.5 * x.pow(2))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y  # bug: GRAD019


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Gaussian.apply(x).sum().backward()
