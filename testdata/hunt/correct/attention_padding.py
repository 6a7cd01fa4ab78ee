"""GRPO with attention whose scores are -inf for the future and for padding.

Every row keeps itself, so that the softmax is finite; padded places are not read.
"""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, LENGTH, WIDTH, GROUP = 7, 6, 16, 6


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))

    def forward(self, x, keep):
        length = x.shape[1]
        future = torch.full((length, length), float("-inf")).triu(1)
        padding = torch.zeros(keep.shape).masked_fill(~keep, float("-inf"))[:, None, :]
        itself = torch.eye(length).bool()
        bias = (future + padding).masked_fill(itself, 0.0)
        return F.softmax(self.q(x) @ self.k(x).transpose(1, 2) / WIDTH**0.5 + bias, -1) @ self.v(x)


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.attention, self.head = nn.Embedding(VOCAB, WIDTH), Attention(), nn.Linear(WIDTH, VOCAB)

    def forward(self, ids, keep):
        x = self.embed(ids)
        return self.head((x + self.attention(x, keep))[:, -1])


class Prompts:
    """The right answer is the largest token of a prompt, padded on the left."""

    def reset(self, n):
        ids = torch.randint(1, VOCAB, (n, LENGTH))
        lengths = torch.randint(2, LENGTH + 1, (n,))
        keep = torch.arange(LENGTH)[None] >= LENGTH - lengths[:, None]
        self.ids = ids * keep
        return self.ids, keep

    def step(self, answers):
        return (self.ids.amax(1, keepdim=True) == answers).float()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env, model = Prompts(), Scorer()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(12):
        ids, keep = env.reset(4)
        with torch.no_grad():
            old = F.log_softmax(model(ids, keep), -1)
            answers = torch.multinomial(old.exp(), GROUP, replacement=True)
        rewards = env.step(answers)
        advantages = (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-4)
        for _ in range(2):
            new = F.log_softmax(model(ids, keep), -1)
            ratio = (new - old).exp().gather(1, answers)
            loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print("loss %.4f" % loss.item())


main()
