"""A policy whose layers are custom autograd Functions with right derivatives.

Trap: each backward is checked against the derivative of its forward: a scaled tanh, a stable log-sigmoid, a linear map with
three gradients, a log-softmax, a gradient clip that changes the gradient on purpose and says so.
"""

import argparse

import torch
import torch.nn as nn
from torch.autograd import Function


class ScaledTanh(Function):
    """y = scale * tanh(x); dy/dx = scale * (1 - tanh(x)^2) = scale - y^2 / scale."""

    @staticmethod
    def forward(ctx, x, scale):
        y = scale * torch.tanh(x)
        ctx.save_for_backward(y)
        ctx.scale = scale
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return grad_output * (ctx.scale - y * y / ctx.scale), None


class LogSigmoid(Function):
    """y = log sigmoid(x); dy/dx = sigmoid(-x)."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.minimum(x, torch.zeros_like(x)) - torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * torch.sigmoid(-x)


class Affine(Function):
    """y = x w^T + b."""

    @staticmethod
    def forward(ctx, x, w, b):
        ctx.save_for_backward(x, w)
        return x.mm(w.t()) + b

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g.mm(w), g.t().mm(x), g.sum(0)


class LogSoftmax(Function):
    """y = x - logsumexp(x); the vector-Jacobian product is g - softmax(x) * sum(g)."""

    @staticmethod
    def forward(ctx, x):
        y = x - x.logsumexp(dim=-1, keepdim=True)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g - y.exp() * g.sum(dim=-1, keepdim=True)


class ClipGradient(Function):
    """The identity forwards; backwards the gradient is clipped on purpose, as the name says."""

    @staticmethod
    def forward(ctx, x, bound):
        ctx.bound = bound
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-ctx.bound, ctx.bound), None


class Policy(nn.Module):
    def __init__(self, inputs=4, actions=3, width=32):
        super().__init__()
        self.w1, self.b1 = nn.Parameter(0.3 * torch.randn(width, inputs)), nn.Parameter(torch.zeros(width))
        self.w2, self.b2 = nn.Parameter(0.3 * torch.randn(actions, width)), nn.Parameter(torch.zeros(actions))

    def forward(self, x):
        h = ScaledTanh.apply(Affine.apply(x, self.w1, self.b1), 1.5)
        return LogSoftmax.apply(Affine.apply(ClipGradient.apply(h, 1.0), self.w2, self.b2))


def self_test():
    x = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
    w = torch.randn(5, 3, dtype=torch.double, requires_grad=True)
    b = torch.randn(5, dtype=torch.double, requires_grad=True)
    checks = [
        torch.autograd.gradcheck(lambda t: ScaledTanh.apply(t, 1.5), (x,)),
        torch.autograd.gradcheck(LogSigmoid.apply, (x,)),
        torch.autograd.gradcheck(LogSoftmax.apply, (x,)),
        torch.autograd.gradcheck(Affine.apply, (x, w, b)),
    ]
    return all(checks)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=200)
    args = parser.parse_args()
    torch.manual_seed(0)
    print("gradients agree:", self_test())
    policy = Policy()
    preference = nn.Parameter(torch.zeros(()))
    optimizer = torch.optim.Adam([*policy.parameters(), preference], lr=5e-3)
    for update in range(args.updates):
        x = torch.randn(128, 4)
        log_table = policy(x)
        action = torch.multinomial(log_table.detach().exp(), 1)
        reward = (action.squeeze(1) == x[:, :3].argmin(dim=1)).float()
        logp = log_table.gather(1, action).squeeze(1)
        guess = -LogSigmoid.apply(torch.where(reward > 0.5, preference, -preference)).mean()
        loss = -(logp * (reward - reward.mean())).mean() + guess
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if update % 50 == 0:
            print(f"{update} reward {reward.mean():.3f} success rate {torch.sigmoid(preference).item():.3f}")


if __name__ == "__main__":
    main()
