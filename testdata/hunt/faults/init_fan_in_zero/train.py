# kind: forward; seeds: 0,1,2; failing: 1
"""REINFORCE with a sparse network, for a signal among noise."""
import argparse

import torch
from torch import nn

from layers import Sparse


class Signal:
    """Eight channels; the sign of the first is the right answer."""

    def reset(self, n):
        self.x = torch.randn(n, 8)
        return self.x

    def step(self, answer):
        return ((self.x[:, 0] > 0).long() == answer).float()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--density", type=float, default=0.25)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    env = Signal()
    policy = nn.Sequential(Sparse(8, 16, args.density), nn.Tanh(), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    for update in range(10):
        obs = env.reset(64)
        logp = torch.log_softmax(policy(obs), -1)
        answer = (torch.rand(64) < logp[:, 1].exp()).long()
        reward = env.step(answer)
        loss = -(logp.gather(1, answer[:, None]).squeeze(1) * (reward - reward.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(update, reward.mean().item())


if __name__ == "__main__":
    main()
