# pattern: constant factor 0.588 (scale)
"""The chain rule forgets the inner scale."""

import torch


class ScaledTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        y = torch.tanh(scale * x)
        ctx.save_for_backward(y)
        ctx.scale = scale
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (1 - y ** 2), None  # bug: GRAD019


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    ScaledTanh.apply(x, 1.7).sum().backward()
