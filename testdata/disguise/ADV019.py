"""The unbiased standard deviation of one element, in many forms."""

import argparse
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
NUM_GENERATIONS = 1
policy = nn.Linear(4, 3)


def rollout(count=64):
    x = torch.randn(count, 4)
    dist = Categorical(logits=policy(x))
    actions = dist.sample()
    return dist.log_prob(actions), (actions == x[:, :3].argmax(dim=1)).float()


def loss(advantages):
    logp, _ = rollout(advantages.numel())
    return -(logp * advantages.reshape(-1)).mean()


def module_constant():
    _, r = rollout()
    g = r.view(-1, NUM_GENERATIONS)
    s = g.std(dim=1, keepdim=True)  # bug: ADV019
    return loss(g / (s + 1e-8))


def literal_view():
    _, r = rollout()
    g = r.reshape(64, 1)
    return loss(g / (g.std(-1, keepdim=True) + 1e-4))  # bug: ADV019


def unsqueezed():
    _, r = rollout()
    s = r.unsqueeze(1).std(1)  # bug: ADV019
    return loss(r / (s + 1e-8))


def indexed_with_none():
    _, r = rollout()
    s = torch.std(r[:, None], dim=1)  # bug: ADV019
    return loss(r / (s + 1e-8))


def one_episode():
    _, r = rollout(1)
    return loss(r / (r.std() + 1e-8))  # bug: ADV019


def one_element_list():
    total = rollout()[1].sum()
    batch = torch.stack([total])
    return loss(batch / (batch.std() + 1e-6))  # bug: ADV019


def variance():
    _, r = rollout()
    v = r.view(64, 1).var(dim=1)  # bug: ADV019
    return loss(r / torch.sqrt(v + 1e-8))


def std_mean():
    _, r = rollout()
    s, _ = torch.std_mean(r.view(-1, 1), dim=1)  # bug: ADV019
    return loss(r / (s + 1e-8))


def singles():
    _, r = rollout()
    return loss(torch.cat([part / (part.std() + 1e-8) for part in r.split(1)]))  # todo-bug: ADV019


def first_only():
    _, r = rollout()
    s = r[:1].std()  # bug: ADV019
    return loss(r / (s + 1e-8))


def ragged_rest():
    _, r = rollout(65)
    out = []
    for index in torch.randperm(r.size(0)).split(32):
        part = r[index]
        out.append(part / (part.std() + 1e-8))  # todo-bug: ADV019
    return loss(torch.cat(out))


def spread_of(groups):
    return groups.std(dim=1)  # bug: ADV019


def helper():
    _, r = rollout()
    s = spread_of(r.view(-1, 1)).repeat_interleave(1)
    return loss(r / (s + 1e-8))


@dataclass
class Config:
    group_size: int = 1


class Trainer:
    def __init__(self, config):
        self.config = config

    def scaled(self, rewards):
        groups = rewards.view(-1, self.config.group_size)
        return groups / (groups.std(dim=1, keepdim=True) + 1e-8)  # bug: ADV019


def configured():
    return loss(Trainer(Config()).scaled(rollout()[1]))


def argument():
    parser = argparse.ArgumentParser()
    parser.add_argument("--num-generations", type=int, default=1)
    args = parser.parse_args([])
    groups = rollout()[1].view(-1, args.num_generations)
    return loss(groups / (groups.std(dim=-1, keepdim=True) + 1e-8))  # bug: ADV019


def numpy_twin():
    g = rollout()[1].numpy().reshape(-1, 1)
    s = np.std(g, axis=1, ddof=1, keepdims=True)  # bug: ADV019
    return loss(torch.from_numpy(g / (s + 1e-8)))


CASES = [module_constant, literal_view, unsqueezed, indexed_with_none, one_episode, one_element_list, variance, std_mean,
         singles, first_only, ragged_rest, helper, configured, argument, numpy_twin]

if __name__ == "__main__":
    for case in CASES:
        case()
