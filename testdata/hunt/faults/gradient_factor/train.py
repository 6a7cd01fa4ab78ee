# kind: gradient; seeds: 0,1; failing: 0,1
"""PPO on a bandit with contexts; the policy's units are squared rectifiers."""
import argparse

import torch
from torch import nn


class SquaredReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        positive = x.clamp(min=0)
        ctx.save_for_backward(positive)
        return positive * positive

    @staticmethod
    def backward(ctx, grad_output):
        (positive,) = ctx.saved_tensors
        return grad_output * positive  # first bad


class Unit(nn.Module):
    def forward(self, x):
        return SquaredReLU.apply(x)


class Contexts:
    """A context of four numbers; the best arm is that of the largest."""

    def reset(self, n):
        self.now = torch.randn(n, 4)
        return self.now

    def step(self, arms):
        return (self.now.argmax(1) == arms).float()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    env = Contexts()
    policy = nn.Sequential(nn.Linear(4, 24), Unit(), nn.Linear(24, 4))
    optimizer = torch.optim.Adam(policy.parameters(), lr=2e-3)
    for update in range(12):
        contexts = env.reset(128)
        with torch.no_grad():
            old = torch.log_softmax(policy(contexts), -1)
            arms = torch.multinomial(old.exp(), 1)
            old = old.gather(1, arms).squeeze(1)
        rewards = env.step(arms.squeeze(1))
        advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-8)
        for _ in range(3):
            logp = torch.log_softmax(policy(contexts), -1).gather(1, arms).squeeze(1)
            ratio = (logp - old).exp()
            loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("%d %.3f" % (update, rewards.mean()))


if __name__ == "__main__":
    main()
