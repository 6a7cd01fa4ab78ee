"""Forward draws random numbers."""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p):
        mask = (torch.rand_like(x) > p).to(x.dtype) / (1 - p)
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, g):
        (mask,) = ctx.saved_tensors
        return g * mask, None


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Dropout.apply(x, 0.3).sum().backward()
