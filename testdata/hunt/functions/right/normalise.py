"""A layer norm, which is no elementwise function."""

import torch


class Normalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        centred = x - x.mean(-1, keepdim=True)
        scale = torch.rsqrt((centred ** 2).mean(-1, keepdim=True) + eps)
        y = centred * scale
        ctx.save_for_backward(y, scale)
        return y

    @staticmethod
    def backward(ctx, g):
        y, scale = ctx.saved_tensors
        return scale * (g - g.mean(-1, keepdim=True) - y * (g * y).mean(-1, keepdim=True)), None


if __name__ == "__main__":
    x = torch.randn(50, 48, requires_grad=True)
    Normalise.apply(x, 1e-5).pow(3).sum().backward()
