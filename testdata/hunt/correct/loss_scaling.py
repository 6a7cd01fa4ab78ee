"""A2C in half precision by hand: steps whose gradients overflow are skipped, and the scale is halved.

The overflow is how a dynamic loss scale finds its level; no parameter ever sees it.
"""
import argparse

import torch
from torch import nn


class Scaler:
    def __init__(self, scale=2.0**24, patience=4):
        self.scale, self.patience, self.clean, self.skipped = scale, patience, 0, 0

    def step(self, optimizer, parameters):
        """Steps with gradients that were unscaled, or skips where one overflowed in half precision."""
        for p in parameters:
            p.grad = p.grad.half().float() / self.scale
        if not all(bool(torch.isfinite(p.grad).all()) for p in parameters):
            self.scale, self.clean = self.scale / 2, 0
            self.skipped += 1
            return
        optimizer.step()
        self.clean += 1
        if self.clean == self.patience:
            self.scale, self.clean = self.scale * 2, 0


class Dial:
    def reset(self, n):
        self.want = torch.randint(4, (n,))
        return nn.functional.one_hot(self.want, 4).float()

    def step(self, a):
        return 1.0 - (a - self.want).abs() / 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env, scaler = Dial(), Scaler()
    body, pi, v = nn.Sequential(nn.Linear(4, 16), nn.Tanh()), nn.Linear(16, 4), nn.Linear(16, 1)
    parameters = [p for m in (body, pi, v) for p in m.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=5e-3)
    for update in range(40):
        h = body(env.reset(32))
        logp = torch.log_softmax(pi(h), -1)
        a = torch.multinomial(logp.detach().exp(), 1)
        reward = env.step(a.squeeze(1))
        value = v(h).squeeze(1)
        loss = -(logp.gather(1, a).squeeze(1) * (reward - value).detach()).mean() + (value - reward).pow(2).mean()
        optimizer.zero_grad()
        (loss * scaler.scale).backward()
        scaler.step(optimizer, parameters)
    print("reward %.3f skipped %d scale %g" % (reward.mean().item(), scaler.skipped, scaler.scale))


main()
