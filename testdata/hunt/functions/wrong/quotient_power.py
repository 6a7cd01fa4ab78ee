# pattern: missing factor 1/b
"""The denominator is not squared."""

import torch


class Quotient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return torch.div(a, b)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = g / b
        grad_b = -g * a / b  # bug: GRAD019
        return grad_a, grad_b


if __name__ == "__main__":
    a, b = torch.randn(9, 4, requires_grad=True), (torch.rand(9, 4) + 0.5).requires_grad_()
    Quotient.apply(a, b).sum().backward()
