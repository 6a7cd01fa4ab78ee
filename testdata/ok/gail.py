"""Generative adversarial imitation: a discriminator's logit is the reward of a PPO policy.

Trap: `logsigmoid` of a discriminator is a log-prob of something else, and is a reward; a log of a ratio of densities
enters as `-logsigmoid(-d)`. The PPO part clips an exponentiated ratio.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal


def expert(count):
    s = 2 * torch.randn(count, 2)
    return s, torch.stack([-0.5 * s[:, 0], 0.3 * s[:, 1] - 0.2], dim=1) + 0.05 * torch.randn(count, 2)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 2))
        self.log_sigma = nn.Parameter(torch.full((2,), -0.5))

    def dist(self, s):
        return Normal(self.mu(s), self.log_sigma.exp())

    def log_prob(self, s, a):
        return self.dist(s).log_prob(a).sum(dim=-1)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, s, a):
        return self.net(torch.cat([s, a], dim=-1)).squeeze(-1)

    def reward(self, s, a):
        with torch.no_grad():
            return -F.logsigmoid(-self(s, a))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--batch", type=int, default=256)
    args = parser.parse_args()

    torch.manual_seed(0)
    policy, discriminator = Policy(), Discriminator()
    policy_optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    discriminator_optimizer = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
    for iteration in range(args.iterations):
        s = 2 * torch.randn(args.batch, 2)
        with torch.no_grad():
            a = policy.dist(s).sample()
            old = policy.log_prob(s, a)

        es, ea = expert(args.batch)
        real, fake = discriminator(es, ea), discriminator(s, a)
        d_loss = F.binary_cross_entropy_with_logits(real, torch.ones_like(real))
        d_loss = d_loss + F.binary_cross_entropy_with_logits(fake, torch.zeros_like(fake))
        discriminator_optimizer.zero_grad()
        d_loss.backward()
        discriminator_optimizer.step()

        rewards = discriminator.reward(s, a)
        advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-8)
        for _ in range(4):
            ratio = torch.exp(policy.log_prob(s, a) - old)
            clipped = torch.clamp(ratio, 1 - 0.2, 1 + 0.2)
            policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
            policy_optimizer.zero_grad()
            policy_loss.backward()
            policy_optimizer.step()
        if iteration % 25 == 0:
            with torch.no_grad():
                error = (policy.mu(es) - ea).abs().mean()
            print(f"{iteration} discriminator {d_loss.item():.3f} reward {rewards.mean():.3f} error {error:.3f}")


if __name__ == "__main__":
    main()
