# torch: 2
"""The style of torch 2."""

import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x, scale):
        return scale * x ** 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, scale = inputs
        ctx.save_for_backward(x)
        ctx.scale = scale

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * ctx.scale * x ** 2 * g, None


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Cube.apply(x, 0.5).sum().backward()
