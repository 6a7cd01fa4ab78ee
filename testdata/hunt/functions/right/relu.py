"""A kink, with some inputs exactly at it."""

import torch


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        d = g.clone()
        d[x < 0] = 0
        return d


if __name__ == "__main__":
    x = torch.randn(40, 6)
    x[0] = 0
    x.requires_grad_()
    Relu.apply(x).sum().backward()
