# pattern: missing chain-rule term -exp(y) * sum(grad_output)
"""The normaliser is taken for a constant."""

import torch


class LogSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x - torch.logsumexp(x, dim=-1, keepdim=True)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        return g  # bug


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    LogSoftmax.apply(x)[:, 0].sum().backward()
