# kind: gradient; seeds: 0,1; failing: 0,1
"""GRPO with a small transformer that sorts three digits."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

from layers import Norm

DIGITS, N, GROUP, WIDTH = 5, 3, 8, 24


class Sorting:
    def reset(self):
        self.digits = torch.randint(DIGITS, (N,))
        return self.digits

    def step(self, answers):
        return (answers == self.digits.sort().values).float().mean(-1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = Norm(WIDTH), Norm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x):
        q, k, v = self.qkv(self.before(x)).chunk(3, -1)
        scores = q @ k.transpose(1, 2) / WIDTH**0.5
        future = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        x = x + self.out(F.softmax(scores.masked_fill(future, float("-inf")), -1) @ v)
        return x + self.mlp(self.after(x))


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(DIGITS, WIDTH), nn.Embedding(2 * N, WIDTH)
        self.block, self.norm, self.head = Block(), Norm(WIDTH), nn.Linear(WIDTH, DIGITS)

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        return self.head(self.norm(self.block(x)))


def logps(model, ids):
    all_logps = F.log_softmax(model(ids[:, :-1]), -1)
    return all_logps.gather(2, ids[:, 1:, None]).squeeze(2)[:, N - 1 :]


def main(seed):
    torch.manual_seed(seed)
    env, model = Sorting(), LM()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(10):
        ids = env.reset().expand(GROUP, N)
        with torch.no_grad():
            for _ in range(N):
                ids = torch.cat([ids, torch.multinomial(F.softmax(model(ids)[:, -1], -1), 1)], 1)
            old = logps(model, ids)
        rewards = env.step(ids[:, N:])
        advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-4)
        for _ in range(2):
            ratio = (logps(model, ids) - old).exp()
            loss = -torch.min(ratio * advantages[:, None], ratio.clamp(0.8, 1.2) * advantages[:, None]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(step, rewards.mean().item())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    main(parser.parse_args().seed)
