"""Quantile-regression DQN.

Trap: pairwise TD errors between quantiles broadcast (B, 1, N) against (B, N, 1) on purpose; the greedy action is that
of the mean over quantiles. The Huber region tests |x|.
"""

import argparse
import copy
import random

import torch
from torch import nn


class QuantileNet(nn.Module):
    def __init__(self, inputs, actions, quantiles):
        super().__init__()
        self.shape = (-1, actions, quantiles)
        self.body = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, actions * quantiles))
        taus = (torch.arange(quantiles, dtype=torch.float32) + 0.5) / quantiles
        self.register_buffer("taus", taus)

    def forward(self, x):
        return self.body(x).view(self.shape)

    def act(self, x):
        return self(x).mean(dim=2).argmax(dim=1)


def quantile_huber(current, goal, taus, kappa=1.0):
    """current (B, N) and goal (B, M) are quantiles; the loss is a mean over the batch."""
    errors = goal.unsqueeze(1) - current.unsqueeze(2)
    small = errors.abs() <= kappa
    huber = torch.where(small, 0.5 * errors.pow(2), kappa * (errors.abs() - 0.5 * kappa))
    weight = (taus.view(1, -1, 1) - (errors.detach() < 0).float()).abs()
    return (weight * huber).mean(dim=2).sum(dim=1).mean()


class Ladder:
    """Climb to rung 5; each climb may slip to the bottom."""

    def reset(self):
        self.rung = 0
        return self.observe()

    def observe(self):
        return torch.nn.functional.one_hot(torch.tensor(self.rung), 6).float()

    def step(self, action):
        slipped = random.random() < (0.25 if action == 1 else 0.05)
        self.rung = 0 if slipped else min(5, self.rung + (2 if action == 1 else 1))
        done = self.rung == 5
        return self.observe(), 1.0 if done else -0.05, done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--quantiles", type=int, default=16)
    args = parser.parse_args()

    random.seed(0)
    torch.manual_seed(0)
    env, memory = Ladder(), []
    online = QuantileNet(6, 2, args.quantiles)
    target = copy.deepcopy(online)
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    x = env.reset()
    for step in range(args.steps):
        if random.random() < 0.2:
            a = random.randrange(2)
        else:
            with torch.no_grad():
                a = online.act(x.unsqueeze(0)).item()
        y, r, done = env.step(a)
        memory.append((x, a, r, y, float(done)))
        memory = memory[-2000:]
        x = env.reset() if done else y
        if len(memory) < 64:
            continue
        bx, ba, br, by, bd = zip(*random.sample(memory, 64))
        bx, by = torch.stack(bx), torch.stack(by)
        ba, br, bd = torch.tensor(ba), torch.tensor(br), torch.tensor(bd)
        rows = torch.arange(64)
        with torch.no_grad():
            following = target(by)[rows, target.act(by)]
            goal = br.unsqueeze(1) + 0.97 * (1 - bd).unsqueeze(1) * following
        loss = quantile_huber(online(bx)[rows, ba], goal, online.taus)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 200 == 0:
            target.load_state_dict(online.state_dict())
        if step % 1000 == 0:
            print(step, "loss %.4f" % loss.item())
    with torch.no_grad():
        print("values", [[round(q, 2) for q in row] for row in online(torch.eye(6)).mean(2).tolist()])


if __name__ == "__main__":
    main()
