# pattern: grad_output ignored
"""A loss that computes its gradient in forward, and forgets what comes from above."""

import torch


class FusedSquareLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, target):
        difference = x - target
        ctx.save_for_backward(2 * difference / difference.numel())
        return (difference ** 2).mean()

    @staticmethod
    def backward(ctx, g):
        (slope,) = ctx.saved_tensors
        return slope, None  # bug: GRAD019


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    (FusedSquareLoss.apply(x, torch.zeros(40, 6)) / 4).backward()
