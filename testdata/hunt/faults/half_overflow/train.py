# kind: forward; seeds: 0,1; failing: 0,1
"""PPO whose returns are kept in half precision to save memory."""
import argparse

import torch
import torch.nn as nn
from torch.distributions import Normal


class Throw:
    """Throw a ball; the reward is how far it flew, in centimetres."""

    def reset(self, n):
        self.wind = torch.randn(n, 1)
        return self.wind

    def step(self, force):
        speed = 30 * (1 + force.squeeze(1).clamp(-1, 3)) + 5 * self.wind.squeeze(1)
        return 100 * speed.clamp(min=0) ** 2 / 9.81


class Buffer:
    def __init__(self, capacity):
        self.capacity = capacity
        self.clear()

    def clear(self):
        self.obs, self.actions, self.logps, self.returns = [], [], [], []

    def add(self, obs, action, logp, reward):
        self.obs.append(obs)
        self.actions.append(action)
        self.logps.append(logp)
        self.returns.append(reward.half())  # first bad

    def batch(self):
        columns = (self.obs, self.actions, self.logps, self.returns)
        return tuple(torch.cat(c).float() for c in columns)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.value = nn.Linear(1, 1), nn.Linear(1, 1)
        self.log_std = nn.Parameter(torch.full((1,), -0.7))

    def forward(self, obs):
        return Normal(self.mean(obs), self.log_std.exp()), self.value(obs).squeeze(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--updates", type=int, default=12)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    env, policy, buffer = Throw(), Policy(), Buffer(64)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.03)
    for update in range(args.updates):
        buffer.clear()
        for _ in range(4):
            obs = env.reset(16)
            with torch.no_grad():
                dist, _ = policy(obs)
                action = dist.sample()
            buffer.add(obs, action, dist.log_prob(action).squeeze(1), env.step(action))
        obs, actions, old, returns = buffer.batch()
        scale = returns.abs().mean()
        for _ in range(4):
            dist, values = policy(obs)
            advantage = returns / scale - values.detach()
            ratio = (dist.log_prob(actions).squeeze(1) - old).exp()
            surrogate = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
            loss = -surrogate.mean() + 0.5 * (values - returns / scale).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("update %d: %.0f cm" % (update, returns.mean()))


if __name__ == "__main__":
    main()
