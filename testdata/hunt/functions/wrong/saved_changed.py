# pattern: changes x in place
"""The gradient is right, and what forward saved, the input, is overwritten on the way."""

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.mul_(2)  # bug


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    z = x * 1
    (Square.apply(z) + z.sin()).sum().backward()
