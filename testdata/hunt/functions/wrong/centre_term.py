# pattern: missing chain-rule term -2 * mean(grad_output)
"""The mean is taken for a constant."""

import torch


class Centre(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.rows = x.shape[0]
        return 2 * (x - x.mean(-1, keepdim=True))

    @staticmethod
    def backward(ctx, g):
        return 2 * g  # bug: GRAD019


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Centre.apply(x).exp().sum().backward()
