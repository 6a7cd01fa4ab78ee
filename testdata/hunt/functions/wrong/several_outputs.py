# pattern: sign (output 1)
"""One of two outputs comes back with the wrong sign."""

import torch


class Wave(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, gs, gc):
        (x,) = ctx.saved_tensors
        return gs * torch.cos(x) + gc * torch.sin(x)  # bug: GRAD019


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    s, c = Wave.apply(x)
    (s + 2 * c).sum().backward()
