"""DQN whose TD error passes through a Function that clips its gradient, deliberately."""
import argparse
import random

import torch
from torch import nn


class ClipGradient(torch.autograd.Function):
    """The identity, whose gradient is clamped."""

    @staticmethod
    def forward(ctx, x, limit):
        ctx.limit = limit
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clamp(-ctx.limit, ctx.limit), None


class Chain:
    def reset(self):
        self.s, self.t = 0, 0
        return self.s

    def step(self, a):
        self.s = max(0, min(7, self.s + (1 if a else -1)))
        self.t += 1
        return self.s, 10.0 * (self.s == 7), self.t == 12


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    random.seed(seed)
    torch.manual_seed(seed)
    env, q = Chain(), nn.Sequential(nn.Embedding(8, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.RMSprop(q.parameters(), lr=1e-3)
    memory = []
    for episode in range(12):
        s, done = env.reset(), False
        while not done:
            with torch.no_grad():
                a = int(q(torch.tensor(s)).argmax()) if random.random() > 0.4 else random.randrange(2)
            s2, r, done = env.step(a)
            memory.append((s, a, r, s2, float(done)))
            s = s2
        states, actions, rewards, after, dones = (torch.tensor(c) for c in zip(*random.choices(memory, k=32)))
        with torch.no_grad():
            target = rewards + 0.9 * (1 - dones) * q(after).max(1).values
        td = ClipGradient.apply(q(states).gather(1, actions[:, None]).squeeze(1) - target, 0.02)
        loss = 0.5 * td.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(q.parameters(), 1.0)
        optimizer.step()
    print("loss %.4f" % loss.item())


main()
