"""A schedule that is handed the parameters, too."""

import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from kit import build_scheduler


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
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.scheduler = build_scheduler(cfg, self.optimizer, self.model.parameters())

    def update(self):
        obs = torch.randn(32, 8)
        dist = torch.distributions.Categorical(logits=self.model(obs))
        action = dist.sample()
        reward = (action == 0).float()
        loss = -(dist.log_prob(action) * (reward - reward.mean())).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
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
