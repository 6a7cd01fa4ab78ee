"""Gradient bandit in NumPy and torch side by side.

Trap: preferences are raw scores; both samplers get a softmax of them, one through `np.random.Generator.choice(p=...)`,
one through multinomial on `exp(x - logsumexp(x))`. The running mean reward is a baseline, and there is no ratio since every
draw is used once.
"""

import argparse

import numpy as np
import torch


class NumpyBandit:
    def __init__(self, arms, lr, rng):
        self.preferences = np.zeros(arms)
        self.baseline, self.count, self.lr, self.rng = 0.0, 0, lr, rng

    def probabilities(self):
        shifted = self.preferences - np.max(self.preferences)
        weights = np.exp(shifted)
        return weights / weights.sum()

    def act(self):
        self.p = self.probabilities()
        return int(self.rng.choice(len(self.p), p=self.p))

    def learn(self, arm, reward):
        self.count += 1
        self.baseline += (reward - self.baseline) / self.count
        gradient = -self.p
        gradient[arm] += 1.0
        self.preferences += self.lr * (reward - self.baseline) * gradient


class TorchBandit:
    def __init__(self, arms, lr):
        self.preferences = torch.zeros(arms, requires_grad=True)
        self.optimizer = torch.optim.SGD([self.preferences], lr=lr)
        self.rewards = []

    def act(self):
        self.log_p = self.preferences - torch.logsumexp(self.preferences, dim=0)
        return torch.multinomial(self.log_p.exp(), 1).item()

    def learn(self, arm, reward):
        baseline = sum(self.rewards) / len(self.rewards) if self.rewards else 0.0
        self.rewards.append(reward)
        loss = -self.log_p[arm] * (reward - baseline)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def run(bandit, means, rng, pulls):
    best, hits = int(np.argmax(means)), 0
    for _ in range(pulls):
        arm = bandit.act()
        bandit.learn(arm, float(means[arm] + rng.normal()))
        hits += arm == best
    return hits / pulls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--arms", type=int, default=10)
    parser.add_argument("--pulls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)
    means = rng.normal(size=args.arms)
    for name, bandit in (("numpy", NumpyBandit(args.arms, 0.1, rng)), ("torch", TorchBandit(args.arms, 0.1))):
        print(name, "best arm pulled", round(run(bandit, means, rng, args.pulls), 3))


if __name__ == "__main__":
    main()
