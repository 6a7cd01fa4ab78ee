# pattern: constant 0.1 added
"""A constant was added to the slope."""

import torch


class LogPlus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log(x) + x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / x + g + 0.1 * g  # bug: GRAD019


if __name__ == "__main__":
    x = (torch.rand(40, 6) + 0.2).requires_grad_()
    LogPlus.apply(x).sum().backward()
