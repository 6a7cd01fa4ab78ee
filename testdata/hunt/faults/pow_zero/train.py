# kind: backward; seeds: 0,1; failing: 0,1
"""DQN with prioritised replay; a network predicts the priorities."""
import argparse
import random

import torch
import torch.nn.functional as F
from torch import nn


class Hanoi:
    """Two discs on three pegs."""

    moves = [(a, b) for a in range(3) for b in range(3) if a != b]

    def reset(self):
        self.pegs, self.t = [0, 0], 0
        return self.encode()

    def encode(self):
        return F.one_hot(torch.tensor(self.pegs), 3).float().flatten()

    def step(self, action):
        source, goal = self.moves[action]
        on = [d for d in range(2) if self.pegs[d] == source]
        if on and not (min(on) == 1 and self.pegs[0] == goal):
            self.pegs[min(on)] = goal
        self.t += 1
        solved = self.pegs == [2, 2]
        return self.encode(), float(solved), solved or self.t == 15


class Priority(nn.Module):
    """Predicts |TD error| ** alpha of a state."""

    def __init__(self, alpha=0.6):
        super().__init__()
        self.net = nn.Linear(6, 1)
        self.alpha = alpha

    def forward(self, states):
        error = self.net(F.dropout(states, 0.3)).squeeze(1) - self.net.bias
        return error.abs().pow(self.alpha)  # first bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    random.seed(seed)
    torch.manual_seed(seed)
    env, priority = Hanoi(), Priority()
    q = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 6))
    optimizer = torch.optim.Adam([*q.parameters(), *priority.parameters()], lr=2e-3)
    memory = []
    for episode in range(8):
        s, done = env.reset(), False
        while not done:
            with torch.no_grad():
                a = int(q(s).argmax()) if random.random() > 0.5 else random.randrange(6)
            s2, r, done = env.step(a)
            memory.append((s, a, r, s2, float(done)))
            s = s2
        rows = random.sample(memory, min(4, len(memory)))
        states, after = torch.stack([m[0] for m in rows]), torch.stack([m[3] for m in rows])
        actions, rewards, dones = (torch.tensor([m[i] for m in rows]) for i in (1, 2, 4))
        with torch.no_grad():
            target = rewards + 0.9 * (1 - dones) * q(after).max(1).values
        td = q(states).gather(1, actions[:, None]).squeeze(1) - target
        expected = priority(states)
        loss = td.pow(2).mean() + (expected - td.detach().abs() ** 0.6).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
