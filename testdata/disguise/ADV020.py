"""Rewards minus the mean of a group of one, in many forms."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
GROUP = 1
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
    return loss(g - g.mean(dim=1, keepdim=True))  # bug: ADV020


def literal():
    _, r = rollout()
    g = r.reshape(64, 1)
    return loss(g - g.mean(1, keepdim=True))  # bug: ADV020


def torch_functions():
    _, r = rollout()
    g = torch.reshape(r, (-1, GROUP))
    return loss(torch.sub(g, torch.mean(g, dim=-1, keepdim=True)))  # bug: ADV020


def augmented():
    _, r = rollout()
    g = r.view(-1, GROUP)
    g -= g.mean(dim=1, keepdim=True)  # bug: ADV020
    return loss(g)


def in_place():
    _, r = rollout()
    g = r.unflatten(0, (-1, GROUP))
    g.sub_(g.mean(dim=1, keepdim=True))  # bug: ADV020
    return loss(g)


def repeated():
    _, rewards = rollout()
    m = rewards.view(-1, GROUP).mean(dim=1).repeat_interleave(GROUP)
    return loss(rewards - m)  # bug: ADV020


def unsqueezed():
    _, r = rollout()
    g = r.unsqueeze(-1)
    return loss(g - g.mean(dim=-1, keepdim=True))  # bug: ADV020


def centre(groups):
    return groups - groups.mean(dim=1, keepdim=True)  # bug: ADV020


def helper():
    return loss(centre(rollout()[1].view(-1, GROUP)))


def through_lambda():
    relative = lambda t: t - t.mean(1, keepdim=True)  # bug: ADV020
    return loss(relative(rollout()[1].view(-1, GROUP)))


def through_comprehension():
    _, r = rollout()
    return loss(torch.cat([g - g.mean() for g in r.split(GROUP)]))  # todo-bug: ADV020


@dataclass
class Config:
    num_generations: int = GROUP


class Trainer:
    def __init__(self):
        self.config = Config()

    def advantages(self, rewards):
        self.groups = rewards.view(-1, self.config.num_generations)
        self.mean = self.groups.mean(dim=1, keepdim=True)
        return self.groups - self.mean  # bug: ADV020


def attribute():
    return loss(Trainer().advantages(rollout()[1]))


def numpy_twin():
    g = rollout()[1].numpy().reshape(-1, GROUP)
    return loss(torch.from_numpy(g - np.mean(g, axis=1, keepdims=True)))  # bug: ADV020


CASES = [module_constant, literal, torch_functions, augmented, in_place, repeated, unsqueezed, helper, through_lambda,
         through_comprehension, attribute, numpy_twin]

if __name__ == "__main__":
    for case in CASES:
        case()
