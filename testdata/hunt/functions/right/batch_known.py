"""The size of the batch stands in the code: what is cut down must not be accused."""

import torch


class BatchMean(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.pow(2).sum() / 128

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x / 128


if __name__ == "__main__":
    x = torch.randn(128, 3, requires_grad=True)
    BatchMean.apply(x).backward()
