# pattern: gradient of another input swapped
"""The two gradients of a product are exchanged."""

import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * a, g * b  # bug: GRAD019


if __name__ == "__main__":
    a, b = torch.randn(30, 4, requires_grad=True), torch.randn(30, 4, requires_grad=True)
    Product.apply(a, b).sum().backward()
