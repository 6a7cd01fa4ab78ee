"""SAC-like updates with the usual guards: safe where, clamped logs, norms with eps, atanh inside, entropy by xlogy."""
import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn


def safe_sqrt(x):
    """The root of x, and 0 with gradient 0 where x is 0 or less."""
    positive = x > 0
    return torch.where(positive, torch.where(positive, x, torch.ones_like(x)).sqrt(), torch.zeros_like(x))


def log_prob(mean, log_std, action):
    raw = torch.atanh(action.clamp(-1 + 1e-6, 1 - 1e-6))
    z = (raw - mean) / log_std.exp()
    gaussian = -0.5 * z * z - log_std - 0.5 * math.log(2 * math.pi)
    return (gaussian - 2 * (math.log(2) - raw - F.softplus(-2 * raw))).squeeze(-1)


class Slider:
    def reset(self, n):
        self.gap = torch.randint(-2, 3, (n, 1)).float()
        return self.gap

    def step(self, action):
        self.gap = self.gap - action
        return -safe_sqrt(self.gap.pow(2)).squeeze(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env = Slider()
    net = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 2))
    modes = nn.Linear(1, 3)
    optimizer = torch.optim.Adam([*net.parameters(), *modes.parameters()], lr=1e-2)
    for update in range(20):
        obs = env.reset(32)
        mean, log_std = net(obs).chunk(2, -1)
        log_std = log_std.clamp(-3, 1)
        action = torch.tanh(4 * (mean + log_std.exp() * torch.randn_like(mean)).detach())
        reward = env.step(action)
        p = torch.softmax(200 * modes(obs), -1)
        entropy = -torch.xlogy(p, p.detach().clamp(min=1e-30)).sum(-1)
        distance = (F.relu(mean).pow(2).sum(-1) + 1e-12).sqrt()
        loss = -(log_prob(mean, log_std, action) * (reward - reward.mean())).mean()
        loss = loss + 1e-3 * distance.mean() - 1e-3 * entropy.mean() + 1e-3 * safe_sqrt(F.relu(mean)).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    print("reward %.3f" % reward.mean().item())


main()
