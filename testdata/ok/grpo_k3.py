"""GRPO with a frozen reference and the k3 estimate in the loss.

Trap: `ref - new` is a log-ratio that is never a PPO ratio: k3 exponentiates it, subtracts it bare, subtracts one. The
group's std carries an epsilon that arrives as a keyword argument. Completions end early, so the token loss is a masked
mean with a clamped denominator.
"""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

EOS, A, B, BOS = 0, 1, 2, 3


class TinyLM(nn.Module):
    def __init__(self, vocab=4, width=32):
        super().__init__()
        self.emb, self.rnn, self.out = nn.Embedding(vocab, width), nn.GRU(width, width, batch_first=True), nn.Linear(width, 3)

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


@torch.no_grad()
def sample(model, count, limit):
    ids = torch.full((count, 1), BOS)
    for _ in range(limit):
        probs = F.softmax(model(ids)[:, -1], dim=-1)
        ids = torch.cat([ids, torch.multinomial(probs, num_samples=1)], dim=1)
    return ids


def completion_mask(ids):
    ended = (ids[:, 1:] == EOS).long()
    return (ended.cumsum(1) - ended == 0).float()


def reward(ids, mask):
    """Completions should hold as many A as B, and more is better."""
    a, b = (((ids[:, 1:] == token).float() * mask).sum(1) for token in (A, B))
    return torch.minimum(a, b) - 0.5 * (a - b).abs()


def token_logps(model, ids):
    return F.log_softmax(model(ids[:, :-1]), dim=-1).gather(2, ids[:, 1:, None]).squeeze(2)


def whiten_groups(scores, group, eps=1e-4):
    table = scores.view(-1, group)
    return ((table - table.mean(1, keepdim=True)) / (table.std(1, keepdim=True) + eps)).view(-1, 1)


def masked_mean(x, mask):
    return (x * mask).sum() / mask.sum().clamp(min=1.0)


def grpo_loss(new, old, ref, advantages, mask, clip, beta):
    ratio = torch.exp(new - old)
    surrogate = torch.min(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    kl = torch.exp(ref - new) - (ref - new) - 1.0
    return masked_mean(-(surrogate - beta * kl), mask), masked_mean(kl, mask).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--groups", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--beta", type=float, default=0.02)
    args = parser.parse_args()

    torch.manual_seed(0)
    policy = TinyLM()
    reference = copy.deepcopy(policy).eval()
    for parameter in reference.parameters():
        parameter.requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=2e-3)
    for step in range(args.steps):
        ids = sample(policy, args.group * args.groups, limit=10)
        mask = completion_mask(ids)
        scores = reward(ids, mask)
        advantages = whiten_groups(scores, args.group, eps=1e-6)
        with torch.no_grad():
            old, ref = token_logps(policy, ids), token_logps(reference, ids)
        for _ in range(args.epochs):
            loss, kl = grpo_loss(token_logps(policy, ids), old, ref, advantages, mask, args.clip, args.beta)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
            optimizer.step()
        if step % 20 == 0:
            print(f"{step} reward {scores.mean():.3f} length {mask.sum(1).mean():.2f} kl {kl:.4f}")


if __name__ == "__main__":
    main()
