# pattern: constant factor 1.25
# dtype: float32
"""A kernel that takes single precision only."""

import numpy as np
import torch


class Kernel(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        assert x.dtype == torch.float32
        ctx.save_for_backward(x)
        return torch.from_numpy(np.sin(x.detach().numpy()))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 1.25 * g * torch.cos(x)  # bug


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    Kernel.apply(x).sum().backward()
