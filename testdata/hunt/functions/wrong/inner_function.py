# pattern: constant factor 0.5
"""The mistake is in a Function that another one applies."""

import torch


class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return x * g  # bug: GRAD019


class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return Half.apply(x) * 3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            leaf = x.detach().requires_grad_()
            y = Half.apply(leaf) * 3
        return torch.autograd.grad(y, leaf, g)[0] * 2


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Outer.apply(x).sum().backward()
