# pattern: grad_output ignored
"""A step with a window for its slope, which takes nothing of the incoming gradient."""

import torch


class Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x > 0).to(x.dtype)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        inside = (x.abs() < 0.5).to(x.dtype)  # bug: GRAD019
        return inside


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Step.apply(x).mean().backward()
