"""Implicit Q-learning: expectile values and advantage-weighted cloning.

Trap: `exp(beta * (q - v)).clamp(max=100)` looks like a ratio with a one-sided clip; it is a weight for behaviour
cloning, without gradient. The log-prob it multiplies is never compared with an old one.
"""

import argparse
import copy

import torch
import torch.nn as nn
from torch.distributions import Normal


def net(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, outputs))


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = net(2, 1)
        self.log_std = nn.Parameter(torch.zeros(1))

    def forward(self, s):
        return Normal(self.mean(s), self.log_std.clamp(-4, 1).exp())


def expectile_loss(difference, tau):
    weight = torch.where(difference > 0, tau, 1 - tau)
    return (weight * difference.pow(2)).mean()


def make_dataset(size):
    """A cart on a rail, driven by a proportional controller with noise; the goal is the origin."""
    s = 2 * torch.randn(size, 2)
    a = (-0.8 * s[:, :1] - 0.3 * s[:, 1:] + torch.randn(size, 1)).clamp(-2, 2)
    v = 0.9 * s[:, 1:] + 0.3 * a
    s2 = torch.cat([s[:, :1] + 0.3 * v, v], dim=1)
    reward = -s2[:, :1].abs()
    terminated = (s2[:, :1].abs() > 6).float()
    return s, a, reward, s2, terminated


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--tau", type=float, default=0.8)
    parser.add_argument("--beta", type=float, default=3.0)
    parser.add_argument("--gamma", type=float, default=0.97)
    args = parser.parse_args()

    torch.manual_seed(0)
    data = make_dataset(20_000)
    q, v, policy = net(3, 1), net(2, 1), Policy()
    q_target = copy.deepcopy(q).requires_grad_(False)
    q_optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
    v_optimizer = torch.optim.Adam(v.parameters(), lr=1e-3)
    policy_optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)

    for step in range(args.steps):
        index = torch.randint(0, 20_000, (256,))
        s, a, r, s2, terminated = (column[index] for column in data)
        with torch.no_grad():
            target_q = q_target(torch.cat([s, a], dim=1))
        value = v(s)
        advantage = target_q - value
        v_loss = expectile_loss(advantage, args.tau)
        v_optimizer.zero_grad()
        v_loss.backward()
        v_optimizer.step()

        with torch.no_grad():
            goal = r + args.gamma * (1 - terminated) * v(s2)
        q_loss = (q(torch.cat([s, a], dim=1)) - goal).pow(2).mean()
        q_optimizer.zero_grad()
        q_loss.backward()
        q_optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(q_target.parameters(), q.parameters()):
                slow.lerp_(fast, 0.005)

        weight = torch.exp(args.beta * advantage.detach()).clamp(max=100.0)
        policy_loss = -(weight * policy(s).log_prob(a)).mean()
        policy_optimizer.zero_grad()
        policy_loss.backward()
        policy_optimizer.step()
        if step % 500 == 0:
            print(f"{step} v {v_loss.item():.4f} q {q_loss.item():.4f} policy {policy_loss.item():.4f}")


if __name__ == "__main__":
    main()
