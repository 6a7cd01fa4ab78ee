"""Best-of-n and rejection-sampling fine-tuning (no policy gradient at all).

Trap: groups of n completions, a reference's log-probs for the estimate of KL (log n - (n - 1) / n is printed beside it),
and supervised steps on the best of each group. The reference matters as the start of training and in what is printed and
filtered: completions too far from it are rejected.
"""

import argparse
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Melody(nn.Module):
    def __init__(self, notes=7, width=32):
        super().__init__()
        self.notes = notes
        self.embed, self.rnn = nn.Embedding(notes + 1, width), nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, notes)

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])


@torch.no_grad()
def compose(model, count, length, temperature):
    ids = torch.full((count, 1), model.notes)
    for _ in range(length):
        weights = torch.softmax(model(ids)[:, -1] / temperature, dim=-1)
        ids = torch.cat([ids, torch.multinomial(weights, 1)], dim=-1)
    return ids


@torch.no_grad()
def line_log_prob(model, ids):
    return -F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:], reduction="none").sum(dim=1)


def pleasing(ids):
    """Small steps between notes please; repeating a note does not."""
    leap = (ids[:, 2:] - ids[:, 1:-1]).abs().float()
    return -((leap - 1.5).abs()).mean(dim=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--n", type=int, default=8)
    parser.add_argument("--lines", type=int, default=32)
    parser.add_argument("--max-distance", type=float, default=12.0)
    parser.add_argument("--temperature", type=float, default=1.0)
    args = parser.parse_args()

    torch.manual_seed(0)
    model = Melody()
    base = copy.deepcopy(model).eval().requires_grad_(False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    bound = math.log(args.n) - (args.n - 1) / args.n
    for round_number in range(args.rounds):
        ids = compose(model, args.lines * args.n, length=8, temperature=args.temperature)
        rewards = pleasing(ids)
        distance = line_log_prob(model, ids) - line_log_prob(base, ids)
        rewards = torch.where(distance > args.max_distance, torch.full_like(rewards, -10.0), rewards)
        best = rewards.view(args.lines, args.n).argmax(dim=1)
        chosen = ids.view(args.lines, args.n, -1)[torch.arange(args.lines), best]

        for _ in range(2):
            loss = F.cross_entropy(model(chosen[:, :-1]).transpose(1, 2), chosen[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if round_number % 10 == 0:
            print(f"{round_number} reward {pleasing(ids).mean():.3f} best {pleasing(chosen).mean():.3f} "
                  f"distance {distance.mean():.3f} one round adds at most {bound:.3f}")


if __name__ == "__main__":
    main()
