# kind: forward; seeds: 0,1,2; failing: 0,1
"""REINFORCE with returns by one cumulative sum, divided by the discount of each step."""
import argparse

import torch
from torch import nn


class Juggling:
    """Keep a ball up; how long depends on luck and on hitting the right way."""

    def reset(self):
        self.lean, self.t = torch.zeros(()), 0
        return self.lean.view(1)

    def step(self, side):
        self.lean = self.lean + 0.3 * torch.randn(()) - 0.35 * (1 if side else -1) * 0.5
        self.t += 1
        return self.lean.view(1), 1.0, bool(self.lean.abs() > 1.5) or self.t == 300


def returns_of(rewards, gamma):
    weights = gamma ** torch.arange(len(rewards))
    togo = (rewards * weights).flip(0).cumsum(0).flip(0)
    return togo / weights  # first bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--gamma", type=float, default=0.3)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    env = Juggling()
    policy = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
    for episode in range(12):
        obs, done, logps, rewards = env.reset(), False, [], []
        while not done:
            dist = torch.distributions.Categorical(logits=policy(obs))
            side = dist.sample()
            logps.append(dist.log_prob(side))
            obs, reward, done = env.step(int(side))
            rewards.append(reward)
        returns = returns_of(torch.tensor(rewards), args.gamma)
        loss = -(torch.stack(logps) * (returns - returns.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(episode, len(rewards))


if __name__ == "__main__":
    main()
