"""Straight-through estimators: backward is not the derivative of forward, and is meant not to be.

Trap: a sign, a rounding and a binary gate pass gradients as if they were the identity (or a clipped one); their forwards
have a derivative that is zero almost everywhere. A quantised policy is trained through them with REINFORCE.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class BinarizeSTE(torch.autograd.Function):
    """Sign with the straight-through gradient inside [-1, 1]."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, torch.ones_like(x), -torch.ones_like(x))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * (x.abs() <= 1).to(grad_output.dtype)


class RoundSTE(torch.autograd.Function):
    """Rounding to a grid; the gradient passes straight through."""

    @staticmethod
    def forward(ctx, x, levels):
        return torch.round(x * levels) / levels

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None


class BernoulliGate(torch.autograd.Function):
    """A sample of Bernoulli(p), with the gradient of its mean."""

    @staticmethod
    def forward(ctx, p):
        return torch.bernoulli(p)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class QuantisedPolicy(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.gate = nn.Linear(5, 32), nn.Linear(32, 4), nn.Parameter(torch.zeros(32))

    def forward(self, x):
        hidden = BinarizeSTE.apply(self.first(x))
        if self.training:
            gates = BernoulliGate.apply(torch.sigmoid(self.gate).expand_as(hidden))
        else:
            gates = torch.sigmoid(self.gate)
        weight = RoundSTE.apply(self.second.weight, 16.0)
        return F.linear(hidden * gates, weight, self.second.bias)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=300)
    parser.add_argument("--batch", type=int, default=128)
    args = parser.parse_args()

    torch.manual_seed(0)
    policy = QuantisedPolicy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
    baseline = 0.0
    for update in range(args.updates):
        x = torch.randn(args.batch, 5)
        dist = torch.distributions.Categorical(logits=policy(x))
        action = dist.sample()
        reward = (action == x[:, :4].argmax(dim=1)).float()
        loss = -(dist.log_prob(action) * (reward - baseline)).mean() - 0.01 * dist.entropy().mean()
        baseline = 0.9 * baseline + 0.1 * reward.mean().item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if update % 50 == 0:
            print(f"{update} reward {reward.mean():.3f} gates {torch.sigmoid(policy.gate).mean().item():.3f}")


if __name__ == "__main__":
    main()
