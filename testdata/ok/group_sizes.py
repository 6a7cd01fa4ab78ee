"""Groups, batches and minibatches whose size is known to exceed one wherever an unbiased std is taken.

Trap: `std()` with the default correction over groups, but the size is asserted, validated by argparse, tested by an if, or
the ragged rest is dropped; where a size of one is possible the population std is used, `unbiased=False`, whose value is zero
and not NaN, plus an epsilon.
"""

import argparse

import torch
import torch.nn as nn
from torch.distributions import Categorical
from torch.utils.data import DataLoader, TensorDataset


def at_least_two(text):
    value = int(text)
    if value < 2:
        raise argparse.ArgumentTypeError("a group needs at least two members")
    return value


def group_advantages(rewards, size):
    assert size > 1, "a group needs at least two members"
    groups = rewards.view(-1, size)
    return ((groups - groups.mean(1, keepdim=True)) / (groups.std(1, keepdim=True) + 1e-6)).flatten()


def population_advantages(rewards, size):
    groups = rewards.view(-1, size)
    spread = groups.std(dim=1, unbiased=False, keepdim=True)
    return ((groups - groups.mean(dim=1, keepdim=True)) / (spread + 1e-6)).flatten()


def batch_advantages(advantages):
    if advantages.numel() > 1:
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    return advantages


def loss_of(policy, x, action, advantage):
    return -(Categorical(logits=policy(x)).log_prob(action) * advantage).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--group-size", type=at_least_two, default=4)
    parser.add_argument("--mode", choices=("group", "population", "batch"), default="group")
    args = parser.parse_args()

    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
    for update in range(args.updates):
        x = torch.randn(25, 4).repeat_interleave(args.group_size, dim=0)
        with torch.no_grad():
            action = Categorical(logits=policy(x)).sample()
        reward = x.gather(1, action.unsqueeze(1)).squeeze(1)
        if args.mode == "group":
            advantage = group_advantages(reward, args.group_size)
        elif args.mode == "population":
            advantage = population_advantages(reward, args.group_size)
        else:
            advantage = reward - reward.mean()

        # One optimiser step a rollout: the minibatches only accumulate, and the ragged one is dropped.
        loader = DataLoader(TensorDataset(x, action, advantage), batch_size=len(x) // 2, shuffle=True, drop_last=True)
        optimizer.zero_grad()
        for bx, ba, adv in loader:
            if args.mode == "batch":
                adv = batch_advantages(adv)
            (loss_of(policy, bx, ba, adv) / len(loader)).backward()
        optimizer.step()
        if update % 10 == 0:
            print(f"{update} reward {reward.mean():.3f}")


if __name__ == "__main__":
    main()
