"""GSPO: one importance ratio for a whole sequence, the geometric mean of the token ratios.

Trap: the log-ratio is averaged over tokens first and exponentiated afterwards; between the two it is a bare difference
with a sum and a division by lengths. The straight-through form adds and removes the token log-probs.
"""

import argparse

import torch
from torch import nn
from torch.nn import functional as F

STOP, START, LIMIT = 0, 6, 8


class LM(nn.Module):
    def __init__(self, width=40):
        super().__init__()
        self.e, self.r, self.o = nn.Embedding(7, width), nn.LSTM(width, width, batch_first=True), nn.Linear(width, 6)

    def forward(self, ids):
        h, _ = self.r(self.e(ids))
        return self.o(h)


@torch.no_grad()
def rollout(lm, rows):
    ids = torch.full((rows, 1), START)
    for _ in range(LIMIT):
        ids = torch.cat([ids, torch.multinomial(lm(ids)[:, -1].softmax(-1), 1)], dim=1)
    stops = (ids[:, 1:] == STOP).long()
    return ids, (stops.cumsum(1) - stops == 0).float()


def logps_of(lm, ids):
    return F.log_softmax(lm(ids[:, :-1]), -1).gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)


def rewards_of(ids, mask):
    """Rising sequences that stop by themselves are wanted."""
    body = ids[:, 1:].float() * mask
    rising = ((body[:, 1:] > body[:, :-1]).float() * mask[:, 1:]).sum(1)
    return rising / 4.0 + 0.5 * (mask.sum(1) < LIMIT).float()


def sequence_ratio(new, old, mask):
    lengths = mask.sum(dim=1).clamp(min=1.0)
    log_importance = ((new - old) * mask).sum(dim=1) / lengths
    return torch.exp(log_importance)


def sequence_token_ratio(new, old, mask):
    """The value of the sequence ratio with the gradient of each token (GSPO-token)."""
    lengths = mask.sum(dim=1, keepdim=True).clamp(min=1.0)
    log_importance = ((new - old) * mask).sum(dim=1, keepdim=True) / lengths
    return torch.exp(new - new.detach() + log_importance.detach())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--level", choices=("sequence", "token"), default="sequence")
    parser.add_argument("--clip-low", type=float, default=3e-3)
    parser.add_argument("--clip-high", type=float, default=4e-3)
    args = parser.parse_args()

    torch.manual_seed(0)
    lm = LM()
    optimizer = torch.optim.AdamW(lm.parameters(), lr=2e-3)
    for step in range(args.steps):
        ids, mask = rollout(lm, 8 * args.group)
        rewards = rewards_of(ids, mask)
        grouped = rewards.view(-1, args.group)
        advantages = (grouped - grouped.mean(1, keepdim=True)) / (grouped.std(1, keepdim=True) + 1e-6)
        advantages = advantages.view(-1)
        with torch.no_grad():
            old = logps_of(lm, ids)
        for _ in range(2):
            new = logps_of(lm, ids)
            low, high = 1 - args.clip_low, 1 + args.clip_high
            if args.level == "sequence":
                s = sequence_ratio(new, old, mask)
                loss = -torch.min(s * advantages, s.clamp(low, high) * advantages).mean()
            else:
                s = sequence_token_ratio(new, old, mask)
                weights = advantages.unsqueeze(1)
                per_token = torch.min(s * weights, s.clamp(low, high) * weights)
                loss = -((per_token * mask).sum(1) / mask.sum(1).clamp(min=1.0)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if step % 25 == 0:
            print(f"{step} reward {rewards.mean():.3f} length {mask.sum(1).mean():.2f}")


if __name__ == "__main__":
    main()
