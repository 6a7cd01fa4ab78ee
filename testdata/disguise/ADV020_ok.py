"""Rewards minus the mean of a group of several, in many forms."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
GROUP = 4
policy = nn.Linear(4, 3)


def rollout():
    x = torch.randn(64, 4)
    dist = Categorical(logits=policy(x))
    actions = dist.sample()
    return dist.log_prob(actions), (actions == x[:, :3].argmax(dim=1)).float()


def loss(advantages):
    logp, _ = rollout()
    return -(logp * advantages.reshape(-1)).mean()


def module_constant():
    _, r = rollout()
    g = r.view(-1, GROUP)
    return loss(g - g.mean(dim=1, keepdim=True))


def literal():
    _, r = rollout()
    g = r.reshape(32, 2)
    return loss(g - g.mean(1, keepdim=True))


def torch_functions():
    _, r = rollout()
    g = torch.reshape(r, (-1, GROUP))
    return loss(torch.sub(g, torch.mean(g, dim=-1, keepdim=True)))


def augmented():
    _, r = rollout()
    g = r.view(-1, GROUP)
    g -= g.mean(dim=1, keepdim=True)
    return loss(g)


def in_place():
    _, r = rollout()
    g = r.unflatten(0, (-1, GROUP))
    g.sub_(g.mean(dim=1, keepdim=True))
    return loss(g)


def repeated():
    _, rewards = rollout()
    m = rewards.view(-1, GROUP).mean(dim=1).repeat_interleave(GROUP)
    return loss(rewards - m)


def unsqueezed():
    _, r = rollout()
    g = r.unsqueeze(0)
    return loss(g - g.mean(dim=-1, keepdim=True))


def centre(groups):
    return groups - groups.mean(dim=1, keepdim=True)


def helper():
    return loss(centre(rollout()[1].view(-1, GROUP)))


def through_lambda():
    relative = lambda t: t - t.mean(1, keepdim=True)
    return loss(relative(rollout()[1].view(-1, GROUP)))


def through_comprehension():
    _, r = rollout()
    return loss(torch.cat([g - g.mean() for g in r.split(GROUP)]))


@dataclass
class Config:
    num_generations: int = GROUP


class Trainer:
    def __init__(self):
        self.config = Config()

    def advantages(self, rewards):
        self.groups = rewards.view(-1, self.config.num_generations)
        self.mean = self.groups.mean(dim=1, keepdim=True)
        return self.groups - self.mean


def attribute():
    return loss(Trainer().advantages(rollout()[1]))


def numpy_twin():
    g = rollout()[1].numpy().reshape(-1, GROUP)
    return loss(torch.from_numpy(g - np.mean(g, axis=1, keepdims=True)))


CASES = [module_constant, literal, torch_functions, augmented, in_place, repeated, unsqueezed, helper, through_lambda,
         through_comprehension, attribute, numpy_twin]

if __name__ == "__main__":
    for case in CASES:
        case()
