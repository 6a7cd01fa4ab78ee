"""DAPO: GRPO without a KL term, with an asymmetric clip, dynamic sampling and a token-level loss.

Trap: no reference model exists and none is meant to: beta is 0 by design, as DAPO documents, and the config says so.
Groups whose rewards are all equal are dropped before the division, so their std is never zero there.
"""

import argparse
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class DAPOConfig:
    steps: int = 150
    prompts: int = 16
    group_size: int = 8
    clip_low: float = 0.2
    clip_high: float = 0.28
    epochs: int = 2
    lr: float = 2e-3
    beta: float = 0.0  # DAPO trains without a KL penalty


class Model(nn.Module):
    """Read two digits, write their sum modulo ten and their product modulo ten."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 32)
        self.rnn = nn.GRU(32, 64, batch_first=True)
        self.head = nn.Linear(64, 10)

    def forward(self, ids):
        features, _ = self.rnn(self.embed(ids))
        return self.head(features)


@torch.no_grad()
def generate(model, prompts):
    ids = prompts
    for _ in range(2):
        dist = torch.distributions.Categorical(logits=model(ids)[:, -1])
        ids = torch.cat([ids, dist.sample().unsqueeze(1)], dim=1)
    return ids


def log_probs(model, ids):
    logits = model(ids[:, :-1])[:, 1:]
    return -F.cross_entropy(logits.flatten(0, 1), ids[:, 2:].flatten(), reduction="none").view(-1, 2)


def score(ids):
    a, b, s, p = ids.unbind(1)
    return (s == (a + b) % 10).float() + (p == a * b % 10).float()


def dynamic_sample(model, config):
    """Sample groups and keep those with different rewards in them; return ids and advantages."""
    prompts = torch.randint(0, 10, (config.prompts, 2)).repeat_interleave(config.group_size, dim=0)
    ids = generate(model, prompts)
    grouped = score(ids).view(config.prompts, config.group_size)
    std = grouped.std(dim=1, keepdim=True)
    keep = std.squeeze(1) > 0
    ids = ids.view(config.prompts, config.group_size, -1)[keep]
    advantages = (grouped[keep] - grouped[keep].mean(dim=1, keepdim=True)) / (std[keep] + 1e-8)
    return ids.flatten(0, 1), advantages.reshape(-1, 1), grouped.mean().item()


def train(config):
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr, weight_decay=0.01)
    for step in range(config.steps):
        ids, advantages, mean_score = dynamic_sample(model, config)
        if ids.size(0) == 0:
            continue
        with torch.no_grad():
            old = log_probs(model, ids)
        for _ in range(config.epochs):
            ratio = torch.exp(log_probs(model, ids) - old)
            clipped = torch.clamp(ratio, 1 - config.clip_low, 1 + config.clip_high)
            loss = -torch.min(ratio * advantages, clipped * advantages).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        if step % 25 == 0:
            fraction = (ratio != clipped).float().mean().item()
            print(f"{step} score {mean_score:.3f} kept {ids.size(0)} clipped {fraction:.3f} beta {config.beta}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=DAPOConfig.steps)
    train(DAPOConfig(steps=parser.parse_args().steps))
