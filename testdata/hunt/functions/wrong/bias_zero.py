# pattern: gradient missing for bias (zero)
"""The gradient of the bias was left as it was allocated."""

import torch


class Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        return x @ weight.t() + bias

    @staticmethod
    def backward(ctx, g):
        x, weight, bias = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = g @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = g.t() @ x
        if ctx.needs_input_grad[2]:
            grad_bias = torch.zeros_like(bias)  # bug
        return grad_x, grad_weight, grad_bias


if __name__ == "__main__":
    x = torch.randn(16, 4)
    weight, bias = torch.nn.Parameter(torch.randn(3, 4)), torch.nn.Parameter(torch.randn(3))
    Affine.apply(x, weight, bias).sum().backward()
