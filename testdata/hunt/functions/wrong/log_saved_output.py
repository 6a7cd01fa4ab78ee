# pattern: saved output instead of input
"""The derivative is written for the input, and the output was saved."""

import torch


class Log(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.log(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / x  # bug: GRAD019


if __name__ == "__main__":
    x = (torch.rand(40, 6) + 0.2).requires_grad_()
    Log.apply(x).sum().backward()
