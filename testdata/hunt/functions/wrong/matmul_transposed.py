# pattern: transposed
"""The weight of a square layer is not transposed on the way back."""

import torch


class Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        grad_x = g @ weight  # bug: GRAD019
        grad_weight = x.t() @ g
        return grad_x, grad_weight


if __name__ == "__main__":
    x, weight = torch.randn(32, 5, requires_grad=True), torch.randn(5, 5, requires_grad=True)
    Linear.apply(x, weight).pow(2).sum().backward()
