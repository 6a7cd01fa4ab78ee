# kind: forward; seeds: 0,1; failing: 0,1
"""DQN with a Boltzmann policy whose inverse temperature grows."""
import argparse
import collections
import random

import torch
from torch import nn


class Chain:
    """Eight states in a row, with a reward that grows to the right."""

    n = 8

    def reset(self):
        self.s, self.t = 0, 0
        return self.s

    def step(self, a):
        self.s = max(0, self.s - 1) if a == 0 else min(self.n - 1, self.s + 1)
        self.t += 1
        return self.s, float(self.s), self.t == 12


def one_hot(states):
    return nn.functional.one_hot(torch.as_tensor(states), Chain.n).float()


def boltzmann(q, beta):
    weights = torch.exp(beta * q)  # first bad
    return weights / weights.sum(-1, keepdim=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--growth", type=float, default=1.6)
    cfg = ap.parse_args()
    random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    env = Chain()
    q = nn.Sequential(nn.Linear(Chain.n, 32), nn.ReLU(), nn.Linear(32, 2))
    target = nn.Sequential(nn.Linear(Chain.n, 32), nn.ReLU(), nn.Linear(32, 2))
    target.load_state_dict(q.state_dict())
    optimizer = torch.optim.Adam(q.parameters(), lr=5e-3)
    memory, beta = collections.deque(maxlen=500), 0.5
    for episode in range(20):
        s, done = env.reset(), False
        while not done:
            with torch.no_grad():
                p = boltzmann(q(one_hot([s]))[0], beta)
            a = int(torch.multinomial(p, 1))
            s2, r, done = env.step(a)
            memory.append((s, a, r, s2, done))
            s = s2
            if len(memory) < 32:
                continue
            batch = random.sample(memory, 32)
            states, actions, rewards, after, dones = zip(*batch)
            with torch.no_grad():
                best = target(one_hot(after)).max(1).values
                goal = torch.tensor(rewards) + 0.9 * best * (1 - torch.tensor(dones).float())
            picked = q(one_hot(states)).gather(1, torch.tensor(actions)[:, None])[:, 0]
            loss = nn.functional.smooth_l1_loss(picked, goal)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        beta *= cfg.growth
        if episode % 5 == 4:
            target.load_state_dict(q.state_dict())


if __name__ == "__main__":
    main()
