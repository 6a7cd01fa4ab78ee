"""Dr. GRPO: advantages are rewards minus the group mean, with no standard deviation at all.

Trap: no std, no epsilon, no KL, and the sum over tokens is divided by a constant. The group has eight members, so the
mean is no identity. The std of the rewards is printed and divides nothing.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

GROUP, LENGTH, VOCAB = 8, 6, 5


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB + 1, 24)
        self.conv = nn.Conv1d(24, 48, kernel_size=3)
        self.head = nn.Linear(48, VOCAB)

    def forward(self, ids):
        x = F.pad(self.embed(ids).transpose(1, 2), (2, 0))
        return self.head(F.gelu(self.conv(x)).transpose(1, 2))


def rollout(policy, groups):
    ids = torch.full((groups * GROUP, 1), VOCAB)
    logps = []
    with torch.no_grad():
        for _ in range(LENGTH):
            log_table = policy(ids)[:, -1].log_softmax(dim=-1)
            token = log_table.exp().multinomial(1)
            logps.append(log_table.gather(1, token))
            ids = torch.cat([ids, token], dim=1)
    return ids, torch.cat(logps, dim=1)


def reward(ids):
    """Neighbours should differ by one, as in a staircase."""
    steps = (ids[:, 2:] - ids[:, 1:-1]).abs()
    return (steps == 1).float().mean(dim=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--groups", type=int, default=8)
    args = parser.parse_args()

    torch.manual_seed(1)
    policy = Policy()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=3e-3)
    for step in range(args.steps):
        ids, old = rollout(policy, args.groups)
        rewards = reward(ids).reshape(args.groups, GROUP)
        advantages = (rewards - rewards.mean(dim=1, keepdim=True)).reshape(-1, 1)
        for _ in range(2):
            table = policy(ids[:, :-1]).log_softmax(dim=-1)
            new = table.gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)
            ratio = (new - old).exp()
            objective = torch.minimum(ratio * advantages, ratio.clip(0.8, 1.2) * advantages)
            loss = -objective.sum() / (ids.size(0) * LENGTH)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if step % 25 == 0:
            print(f"{step} reward {rewards.mean():.3f} within-group std {rewards.std(dim=1).mean():.3f}")


if __name__ == "__main__":
    main()
