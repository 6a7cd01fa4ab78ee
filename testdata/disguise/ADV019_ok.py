"""Standard deviations of several elements, or of one with the population formula, in many forms."""

import argparse
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
NUM_GENERATIONS = 4
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
    s = g.std(dim=1, keepdim=True)
    return loss(g / (s + 1e-8))


def literal_view():
    _, r = rollout()
    g = r.reshape(16, 4)
    return loss(g / (g.std(-1, keepdim=True) + 1e-4))


def unsqueezed():
    _, r = rollout()
    s = r.unsqueeze(1).std(0)
    return loss(r / (s + 1e-8))


def indexed_with_none():
    _, r = rollout()
    s = torch.std(r[:, None], dim=1, unbiased=False)
    return loss(r / (s + 1e-8))


def one_episode():
    _, r = rollout(8)
    return loss(r / (r.std() + 1e-8))


def one_element_list():
    total = rollout()[1].sum()
    batch = torch.stack([total, rollout()[1].sum()])
    return loss(batch / (batch.std() + 1e-6))


def variance():
    _, r = rollout()
    v = r.view(64, 1).var(dim=1, unbiased=False)
    return loss(r / torch.sqrt(v + 1e-8))


def std_mean():
    _, r = rollout()
    s, _ = torch.std_mean(r.view(-1, 4), dim=1)
    s = s.repeat_interleave(4)
    return loss(r / (s + 1e-8))


def singles():
    _, r = rollout()
    return loss(torch.cat([part / (part.std() + 1e-8) for part in r.split(2)]))


def first_only():
    _, r = rollout()
    s = r[:2].std()
    return loss(r / (s + 1e-8))


def ragged_rest():
    _, r = rollout(64)
    out = []
    for index in torch.randperm(r.size(0)).split(32):
        part = r[index]
        out.append(part / (part.std() + 1e-8))
    return loss(torch.cat(out))


def spread_of(groups):
    return groups.std(dim=1)


def helper():
    _, r = rollout()
    s = spread_of(r.view(-1, 8)).repeat_interleave(8)
    return loss(r / (s + 1e-8))


@dataclass
class Config:
    group_size: int = 2


class Trainer:
    def __init__(self, config):
        self.config = config

    def scaled(self, rewards):
        groups = rewards.view(-1, self.config.group_size)
        return groups / (groups.std(dim=1, keepdim=True) + 1e-8)


def configured():
    return loss(Trainer(Config()).scaled(rollout()[1]))


def argument():
    parser = argparse.ArgumentParser()
    parser.add_argument("--num-generations", type=int, default=8)
    args = parser.parse_args([])
    groups = rollout()[1].view(-1, args.num_generations)
    return loss(groups / (groups.std(dim=-1, keepdim=True) + 1e-8))


def numpy_twin():
    g = rollout()[1].numpy().reshape(-1, 1)
    s = np.std(g, axis=1, keepdims=True)
    return loss(torch.from_numpy(g / (s + 1e-8)))


def guarded_by_size():
    _, r = rollout(1)
    if r.numel() > 1:
        r = r / (r.std() + 1e-8)
    return loss(r)


def guarded_by_length(r):
    return r / (r.std() + 1e-8) if len(r) > 1 else r


def both_lengths():
    return loss(guarded_by_length(rollout(1)[1])), loss(guarded_by_length(rollout(5)[1]))


CASES = [module_constant, literal_view, unsqueezed, indexed_with_none, one_episode, one_element_list, variance, std_mean,
         singles, first_only, ragged_rest, helper, configured, argument, numpy_twin, guarded_by_size, both_lengths]

if __name__ == "__main__":
    for case in CASES:
        case()
