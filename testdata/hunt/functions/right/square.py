"""y = x^2."""

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Square.apply(x).sum().backward()
