# pattern: not linear in grad_output
"""Rounding goes straight through, but only the sign of the incoming gradient does."""

import torch


class Quantise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return (4 * x).round() / 4

    @staticmethod
    def backward(ctx, g):
        return g.sign()  # bug: GRAD019


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Quantise.apply(x).mean().backward()
