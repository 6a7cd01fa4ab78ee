"""KTO: single answers marked good or bad, and a running estimate of the KL as the reference point.

Trap: log-ratios go into a sigmoid, never into exp; their batch mean, clamped at zero, is a detached baseline: `clamp(min=0)`
of a log-ratio is no clip. The desirable and undesirable weights divide counts that are at least one.
"""

import argparse
import copy

import torch
import torch.nn as nn


class Scorer(nn.Module):
    """An autoregressive model over eight symbols, as a table of bigrams with a bias."""

    def __init__(self, symbols=8):
        super().__init__()
        self.table = nn.Parameter(0.1 * torch.randn(symbols, symbols))

    def forward(self, ids):
        logits = self.table[ids[:, :-1]]
        return logits.log_softmax(-1).gather(-1, ids[:, 1:, None])[..., 0].sum(-1)


def labelled(count, length=7):
    ids = torch.randint(0, 8, (count, length))
    rises = (ids[:, 1:] > ids[:, :-1]).float().mean(dim=1)
    return ids, rises > 0.5


class KTOTrainer:
    def __init__(self, beta, lr):
        self.policy = Scorer()
        self.reference = copy.deepcopy(self.policy)
        self.reference.requires_grad_(False)
        self.beta = beta
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=lr)

    def log_ratio(self, ids):
        policy = self.policy(ids)
        with torch.no_grad():
            reference = self.reference(ids)
        return policy - reference

    def loss(self, ids, good):
        log_ratio = self.log_ratio(ids)
        with torch.no_grad():
            unrelated, _ = labelled(ids.size(0))
            kl = self.log_ratio(unrelated).mean().clamp(min=0)
        wanted = good.sum().clamp(min=1)
        unwanted = (~good).sum().clamp(min=1)
        value_good = 1 - torch.sigmoid(self.beta * (log_ratio - kl))
        value_bad = 1 - torch.sigmoid(self.beta * (kl - log_ratio))
        weight_bad = wanted / unwanted
        return torch.where(good, value_good, weight_bad * value_bad).mean(), log_ratio.detach()

    def step(self, ids, good):
        loss, log_ratio = self.loss(ids, good)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        margin = log_ratio[good].mean() - log_ratio[~good].mean() if good.any() and (~good).any() else torch.zeros(())
        return loss.item(), margin.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--beta", type=float, default=0.5)
    parser.add_argument("--lr", type=float, default=0.05)
    args = parser.parse_args()
    torch.manual_seed(0)
    trainer = KTOTrainer(args.beta, args.lr)
    for step in range(args.steps):
        loss, margin = trainer.step(*labelled(64))
        if step % 50 == 0:
            print(f"{step} loss {loss:.4f} margin {margin:.3f}")


if __name__ == "__main__":
    main()
