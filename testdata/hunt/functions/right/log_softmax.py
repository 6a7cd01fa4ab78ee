"""The vector-Jacobian product of a log-softmax, with impossible actions at -inf."""

import torch


class LogSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.log_softmax(x, dim=-1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g - y.exp() * g.sum(dim=-1, keepdim=True)


if __name__ == "__main__":
    x = torch.randn(20, 6)
    x[:, 4] = float("-inf")
    x.requires_grad_()
    LogSoftmax.apply(x)[:, 1].sum().backward()
