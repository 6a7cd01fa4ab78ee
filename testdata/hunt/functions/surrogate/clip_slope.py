"""A real slope, clipped where the incoming gradient is large."""

import torch


class Tamed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return (g * x).clamp(-0.2, 0.2)


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Tamed.apply(x).sum().backward()
