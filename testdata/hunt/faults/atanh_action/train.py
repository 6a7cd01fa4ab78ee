# kind: forward; seeds: 0,1; failing: 0,1
"""SAC-like updates from demonstrations: the log-probability of squashed actions."""
import argparse
import math

import torch
from torch import nn


class Slider:
    """Keep a slider at its target; the teacher pushes as hard as it takes."""

    def reset(self, n):
        self.gap = 2 * torch.randn(n, 1)
        return self.gap

    def step(self, action):
        self.gap = self.gap - action
        return self.gap, -self.gap.abs().squeeze(1)

    def teacher(self):
        return torch.tanh(2.2 * self.gap)


class SquashedGaussian(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), nn.Linear(32, 2))

    def parameters_at(self, obs):
        mean, log_std = self.net(obs).chunk(2, -1)
        return mean, log_std.clamp(-3, 1)

    def log_prob(self, obs, action):
        mean, log_std = self.parameters_at(obs)
        before = torch.atanh(action)  # first bad
        z = (before - mean) / log_std.exp()
        gaussian = -0.5 * z * z - log_std - 0.5 * math.log(2 * math.pi)
        return (gaussian - torch.log(1 - action * action + 1e-6)).squeeze(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--updates", type=int, default=8)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    env, policy = Slider(), SquashedGaussian()
    critic = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=1e-3)
    for update in range(args.updates):
        obs = env.reset(32)
        action = env.teacher()
        _, reward = env.step(action)
        q = critic(torch.cat([obs, action], -1)).squeeze(-1)
        weight = torch.softmax(reward, 0)
        loss = -(weight * policy.log_prob(obs, action)).sum() + (q - reward).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("%2d %.3f" % (update, loss.item()))


main()
