# pattern: transposed
"""The gradient of the weight comes out transposed, which fits where it is square."""

import torch


class Project(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x.mm(weight)

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        return g.mm(weight.t()), g.t().mm(x)  # bug: GRAD019


if __name__ == "__main__":
    x, weight = torch.randn(7, 5, requires_grad=True), torch.randn(5, 5, requires_grad=True)
    Project.apply(x, weight).tanh().sum().backward()
