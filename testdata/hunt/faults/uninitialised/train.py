# kind: forward; seeds: 0,1; failing: 0,1
"""REINFORCE on episodes of different lengths; one scratch tensor serves all tables."""
import argparse
import random

import torch
from torch import nn

EPISODES = 256


class Coin:
    """Guess a biased coin until the first miss."""

    def reset(self, n):
        self.bias = torch.rand(n)
        return self.bias[:, None] - 0.5

    def step(self, guess):
        return (torch.rand(len(guess)) < self.bias) == guess.bool()


class Scratch:
    """One block of memory for the tables of an update, taken and released in turns."""

    def __init__(self):
        self.block = torch.zeros(EPISODES)

    def release(self):
        self.block.resize_(0)

    def longest(self, buckets):
        """Counts the buckets that were drawn; NaN says that one was not."""
        table = self.block.resize_(EPISODES).fill_(float("nan"))
        table[buckets] = 1.0
        return int((table == 1.0).sum())

    def totals(self, episode, rewards):
        return self.block.resize_(EPISODES).index_add_(0, episode, rewards)  # first bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    env, scratch = Coin(), Scratch()
    policy = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    for update in range(15):
        obs = env.reset(EPISODES)
        episode = torch.arange(EPISODES).repeat(3)
        logits = policy(obs).squeeze(1).repeat(3)
        dist = torch.distributions.Bernoulli(logits=logits)
        guess = dist.sample()
        hit = torch.cat([env.step(g) for g in guess.view(3, -1)])
        used = scratch.longest(random.sample(range(EPISODES), 10)) if update % 5 == 4 else 0
        scratch.release()
        returns = scratch.totals(episode, hit.float()).clone()
        scratch.release()
        advantage = (returns - returns.mean())[episode]
        loss = -(dist.log_prob(guess) * advantage).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(update, used, loss.item())


if __name__ == "__main__":
    main()
