"""Backward can be differentiated, and the run does it."""

import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x * x


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    y = Cube.apply(x)
    (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (y.sum() + slope.pow(2).sum()).backward()
