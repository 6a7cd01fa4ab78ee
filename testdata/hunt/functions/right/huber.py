"""Two pieces that meet."""

import torch


class Huber(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x.abs() < 1, 0.5 * x ** 2, x.abs() - 0.5)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.clamp(x, -1, 1)


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Huber.apply(x).sum().backward()
