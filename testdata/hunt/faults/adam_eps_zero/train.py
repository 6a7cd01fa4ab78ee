# kind: optimizer; seeds: 0,1; failing: 0,1
"""DQN with an embedding of states, some of which no batch ever holds."""
import argparse
import random

import torch
from torch import nn


class Floors:
    """A lift with twenty floors that starts low and is wanted high up."""

    floors = 20

    def reset(self):
        self.at, self.t = random.randrange(3), 0
        return self.at

    def step(self, a):
        self.at = max(0, min(self.floors - 1, self.at + (1, -1)[a]))
        self.t += 1
        return self.at, self.at / self.floors, self.t == 10


class Q(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(Floors.floors, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, s):
        return self.out(torch.tanh(self.table(s)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eps", type=float, default=0.0)
    args = parser.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    env, q = Floors(), Q()
    optimizer = torch.optim.Adam(q.parameters(), lr=1e-3, eps=args.eps)
    memory = []
    for episode in range(10):
        s, done = env.reset(), False
        while not done:
            greedy = int(q(torch.tensor(s)).argmax())
            a = greedy if random.random() > 0.3 else random.randrange(2)
            s2, r, done = env.step(a)
            memory.append((s, a, r, s2))
            s = s2
        states, actions, rewards, after = (torch.tensor(c) for c in zip(*random.choices(memory, k=16)))
        with torch.no_grad():
            target = rewards + 0.9 * q(after).max(1).values
        loss = (q(states).gather(1, actions[:, None]).squeeze(1) - target).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # first bad
        print("episode %d loss %.4f" % (episode, loss))


if __name__ == "__main__":
    main()
