# kind: forward; seeds: 0,1; failing: 0,1
"""GRPO over prompts of several lengths, padded on the left."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, LENGTH, PAD, WIDTH = 7, 6, 0, 16


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))

    def forward(self, x, keep):
        scores = self.q(x) @ self.k(x).transpose(-1, -2) / WIDTH**0.5
        causal = torch.tril(torch.ones(x.shape[1], x.shape[1])).bool()
        scores = scores.masked_fill(~(causal & keep[:, None, :]), float("-inf"))
        weights = F.softmax(scores, dim=-1)  # first bad
        return weights @ self.v(x)


class Scorer(nn.Module):
    """Attends, pools what is kept, and chooses one of VOCAB answers."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, WIDTH)
        self.attention = Attention()
        self.head = nn.Linear(WIDTH, VOCAB)

    def forward(self, ids, keep):
        x = self.embed(ids)
        x = x + self.attention(x, keep)
        return self.head(x[:, -1])


class Prompts:
    """The right answer is the most frequent token of a prompt."""

    def reset(self, n):
        ids = torch.randint(1, VOCAB, (n, LENGTH))
        lengths = torch.randint(LENGTH - 1, LENGTH + 1, (n,))
        keep = torch.arange(LENGTH)[None] >= LENGTH - lengths[:, None]
        self.ids = ids * keep
        return self.ids, keep

    def step(self, answers):
        counts = F.one_hot(self.ids, VOCAB).sum(1)[:, 1:]
        return (counts.argmax(1)[:, None] + 1 == answers).float()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env, model = Prompts(), Scorer()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(5):
        ids, keep = env.reset(2)
        with torch.no_grad():
            old = F.log_softmax(model(ids, keep), -1)
            answers = torch.multinomial(old.exp(), 6, replacement=True)
        rewards = env.step(answers)
        advantages = (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-4)
        new = F.log_softmax(model(ids, keep), -1)
        ratio = (new - old).exp().gather(1, answers)
        loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
