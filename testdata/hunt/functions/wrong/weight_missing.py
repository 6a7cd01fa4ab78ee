# pattern: gradient missing for weight (None)
"""A parameter gets no gradient."""

import torch


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        return g * weight, None  # bug


if __name__ == "__main__":
    x, weight = torch.randn(12, 5, requires_grad=True), torch.nn.Parameter(torch.randn(5))
    Gate.apply(x, weight).sum().backward()
