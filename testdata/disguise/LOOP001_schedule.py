"""Nobody sets the gradients to zero."""

import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Build:
    def __init__(self, spec):
        self.spec = spec

    def __call__(self, target):
        module = torch.optim if not isinstance(target, torch.optim.Optimizer) else torch.optim.lr_scheduler
        return getattr(module, self.spec["name"])(target, **self.spec["args"])


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 32)
        self.out = nn.Linear(32, 4)

    def forward(self, x):
        return self.out(torch.tanh(self.body(x)))


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = Actor()
        self.optimizer = Build(cfg.opt)(self.model.parameters())
        self.scheduler = Build(cfg.sched)(self.optimizer)

    def update(self):
        obs = torch.randn(32, 8)
        dist = torch.distributions.Categorical(logits=self.model(obs))
        action = dist.sample()
        reward = (action == 0).float()
        loss = -(dist.log_prob(action) * (reward - reward.mean())).mean()
        pass
        loss.backward()
        self.optimizer.step()  # bug: LOOP001
        return loss.item()

    def train(self):
        for epoch in range(self.cfg.epochs):
            for _ in range(self.cfg.steps):
                self.update()
            self.scheduler.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", default="Adam")
    parser.add_argument("--sched", default="cosine")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--epochs", type=int, default=1000)
    cfg = parser.parse_args()
    Trainer(cfg).train()


if __name__ == "__main__":
    main()
