"""The probabilities are handed out to be looked at: nothing is trained through them."""

import torch


class Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        p = torch.softmax(x, dim=-1)
        ctx.save_for_backward(p)
        return x.logsumexp(dim=-1), p

    @staticmethod
    def backward(ctx, g, g_p):
        (p,) = ctx.saved_tensors
        return g.unsqueeze(-1) * p


if __name__ == "__main__":
    x = torch.randn(40, 6, requires_grad=True)
    loss, p = Loss.apply(x)
    loss.mean().backward()
