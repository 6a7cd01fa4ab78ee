"""RLOO: the baseline of each completion is the mean reward of the others in its group.

Trap: `(sum - r) / (k - 1)` divides by a group size minus one that is asserted positive. One gradient step on each
rollout, so no ratio; the KL to the reference sits in the reward, detached, as a plain difference of log-probs.
"""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Poet(nn.Module):
    def __init__(self, vocab=8, width=32):
        super().__init__()
        self.embed = nn.Embedding(vocab + 1, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, vocab)
        self.vocab = vocab

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])

    @torch.no_grad()
    def write(self, count, length):
        ids = torch.full((count, 1), self.vocab)
        for _ in range(length):
            ids = torch.cat([ids, F.softmax(self(ids)[:, -1], dim=-1).multinomial(1)], dim=1)
        return ids

    def score(self, ids):
        """Return the log-prob of each whole line, shape (B,)."""
        table = F.log_softmax(self(ids[:, :-1]), dim=-1)
        return table.gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2).sum(dim=1)


def rhyme(ids):
    """The second half of a line should repeat the first."""
    words = ids[:, 1:]
    half = words.size(1) // 2
    return (words[:, :half] == words[:, half:]).float().mean(dim=1)


def leave_one_out(rewards, k):
    assert k > 1, "leave-one-out needs at least two completions a prompt"
    groups = rewards.view(-1, k)
    baseline = (groups.sum(dim=1, keepdim=True) - groups) / (k - 1)
    return (groups - baseline).view(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--k", type=int, default=4)
    parser.add_argument("--prompts", type=int, default=16)
    parser.add_argument("--kl-coef", type=float, default=0.02)
    args = parser.parse_args()

    torch.manual_seed(0)
    policy = Poet()
    reference = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=3e-3)
    for step in range(args.steps):
        ids = policy.write(args.k * args.prompts, length=6)
        logp = policy.score(ids)
        with torch.no_grad():
            kl = logp - reference.score(ids)
            rewards = rhyme(ids) - args.kl_coef * kl
            advantages = leave_one_out(rewards, args.k)
        loss = -(advantages * logp).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()
        if step % 50 == 0:
            print(f"{step} rhyme {rhyme(ids).mean():.3f} kl {kl.mean():.3f}")


if __name__ == "__main__":
    main()
