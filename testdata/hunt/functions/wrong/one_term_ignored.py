# pattern: grad_output ignored in one term
"""The normaliser's term is not multiplied by what comes from above."""

import torch


class LogSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        shifted = x - x.amax(dim=-1, keepdim=True)
        y = shifted - shifted.exp().sum(dim=-1, keepdim=True).log()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g - y.exp()  # bug: GRAD019


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    LogSoftmax.apply(x)[:, 0].sum().backward()
