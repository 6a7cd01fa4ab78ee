# kind: forward; seeds: 0,1; failing: 0,1
"""An ensemble model of the world that predicts its own variance, and a planner on top."""
import argparse

import torch
import torch.nn as nn


class Market:
    """A price with rare, large jumps; buy, hold or sell."""

    def reset(self):
        self.price, self.t = torch.zeros(1), 0
        return self.price

    def step(self, action):
        jump = 1e4 * torch.randn(1) * (torch.rand(1) < 0.02).float()
        change = 0.1 * torch.randn(1) + jump
        self.price = self.price + change
        self.t += 1
        return self.price, (action - 1) * change.item(), self.t == 20


class World(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.mean, self.log_var = nn.Linear(hidden, 1), nn.Linear(hidden, 1)

    def forward(self, price, action):
        h = self.body(torch.cat([price, action], -1))
        return self.mean(h), self.log_var(h)

    def loss(self, price, action, after):
        mean, log_var = self(price, action)
        return ((mean - after) ** 2 / torch.exp(log_var) + log_var).mean()  # first bad


def plan(world, price, candidates=3):
    actions = torch.arange(candidates).float()[:, None]
    with torch.no_grad():
        mean, _ = world(price.expand(candidates, 1), actions)
    return int(((actions - 1) * (mean - price)).argmax())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env, worlds = Market(), [World() for _ in range(2)]
    optimizers = [torch.optim.Adam(w.parameters(), lr=1e-3) for w in worlds]
    memory, earned = [], 0.0
    for episode in range(4):
        price, done = env.reset(), False
        while not done:
            action = plan(worlds[episode % 2], price) if torch.rand(1) > 0.3 else int(torch.randint(3, (1,)))
            after, reward, done = env.step(action)
            memory.append((price, torch.tensor([float(action)]), after))
            price, earned = after, earned + reward
            rows = torch.randint(len(memory), (16,))
            batch = [torch.stack([memory[i][k] for i in rows]) for k in range(3)]
            for world, optimizer in zip(worlds, optimizers):
                loss = world.loss(*batch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    print("earned %.1f" % earned)


main()
