"""Advantages divided by a guarded standard deviation, in many forms."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
GROUP = 8
policy = nn.Linear(4, 3)


def rollout():
    x = torch.randn(8, 4).repeat_interleave(GROUP, dim=0)
    dist = Categorical(logits=policy(x))
    actions = dist.sample()
    rewards = (actions == x[:, :3].argmax(dim=1)).float()
    return dist.log_prob(actions), rewards


def loss(advantages):
    logp, _ = rollout()
    return -(logp * advantages.reshape(-1)).mean()


def whole_batch():
    _, rewards = rollout()
    return loss((rewards - rewards.mean()) / (rewards.std() + 1e-8))


def grouped():
    _, r = rollout()
    g = r.view(-1, GROUP)
    return loss((g - g.mean(dim=1, keepdim=True)) / (g.std(dim=1, keepdim=True) + 1e-8))


def root_of_variance():
    _, r = rollout()
    v = r.var(unbiased=False)
    return loss((r - r.mean()) / (v + 1e-8).sqrt())


def power_of_variance():
    _, r = rollout()
    return loss((r - r.mean()) / (r.var() + 1e-8) ** 0.5)


def torch_functions():
    _, r = rollout()
    return loss(torch.div(torch.sub(r, torch.mean(r)), torch.std(r).add(1e-8)))


def augmented():
    _, a = rollout()
    a = a - a.mean()
    a /= a.std() + 1e-8
    return loss(a)


def in_place():
    _, a = rollout()
    s = a.std()
    a.sub_(a.mean())
    a.div_(s.clamp_min(1e-8))
    return loss(a)


def scale(x, m, s):
    return (x - m) / (s + 1e-8)


def helper():
    _, r = rollout()
    return loss(scale(r, r.mean(), r.std()))


def std_mean():
    _, r = rollout()
    s, m = torch.std_mean(r)
    return loss((r - m) / torch.max(s, torch.tensor(1e-8)))


def by_definition():
    _, r = rollout()
    d = r - r.mean()
    return loss(d / d.pow(2).mean().add(1e-8).sqrt())


def by_norm():
    _, r = rollout()
    d = r - r.mean()
    return loss(d / (d.norm() + 1e-8))


def by_rsqrt():
    _, r = rollout()
    return loss((r - r.mean()) * torch.rsqrt(r.var() + 1e-8))


def through_lambda():
    standardise = lambda t: (t - t.mean()) / (t.std() + 1e-8)
    return loss(standardise(rollout()[1]))


def through_comprehension():
    _, r = rollout()
    return loss(torch.cat([(g - g.mean()) / (g.std() + 1e-8) for g in r.chunk(8)]))


def through_dict():
    _, r = rollout()
    stats = {"mean": r.mean(), "std": r.std()}
    return loss((r - stats["mean"]) / (stats["std"] + 1e-8))


def repeated_statistics():
    _, rewards = rollout()
    m = rewards.view(-1, GROUP).mean(dim=1).repeat_interleave(GROUP)
    s = rewards.view(-1, GROUP).std(dim=1).repeat_interleave(GROUP)
    return loss((rewards - m) / (s + 1e-4))


def unflattened():
    _, r = rollout()
    g = r.unflatten(0, (-1, GROUP)).permute(1, 0)
    a = (g - g.mean(0)) / (g.std(0) + 1e-8)
    return loss(a.permute(1, 0))


class Normaliser:
    def __init__(self, rewards):
        self.mean, self.std = rewards.mean(), rewards.std()

    def __call__(self, rewards):
        return (rewards - self.mean) / (self.std + 1e-8)


def attribute():
    _, r = rollout()
    return loss(Normaliser(r)(r))


@dataclass
class Moments:
    centre: torch.Tensor
    spread: torch.Tensor


def record():
    _, r = rollout()
    m = Moments(r.mean(), r.std())
    return loss((r - m.centre) / (m.spread + 1e-8))


class Whiten(nn.Module):
    def forward(self, x):
        c = x - x.mean()
        return c / torch.sqrt(x.var() + 1e-8)


def module():
    return loss(Whiten()(rollout()[1]))


def numpy_twin():
    r = rollout()[1].numpy()
    a = (r - np.mean(r)) / (np.std(r) + 1e-8)
    return loss(torch.from_numpy(a))


def numpy_groups():
    g = rollout()[1].numpy().reshape(-1, GROUP)
    a = (g - g.mean(axis=1, keepdims=True)) / np.maximum(g.std(axis=1, keepdims=True), 1e-8)
    return loss(torch.from_numpy(a))


def where_guard():
    _, r = rollout()
    s = r.std()
    return loss(torch.where(s > 0, (r - r.mean()) / s, torch.zeros_like(r)))


def branch_guard():
    _, r = rollout()
    s = r.std()
    if s < 1e-6:
        return loss(r - r.mean())
    return loss((r - r.mean()) / s)


def nan_to_num_guard():
    _, r = rollout()
    return loss(torch.nan_to_num((r - r.mean()) / r.std()))


def only_logged():
    _, r = rollout()
    print("signal to noise", (r.mean() / r.std()).item())
    return loss(r - r.mean())


CASES = [whole_batch, grouped, root_of_variance, power_of_variance, torch_functions, augmented, in_place, helper, std_mean,
         by_definition, by_norm, by_rsqrt, through_lambda, through_comprehension, through_dict, repeated_statistics,
         unflattened, attribute, record, module, numpy_twin, numpy_groups, where_guard, branch_guard, nan_to_num_guard,
         only_logged]

if __name__ == "__main__":
    for case in CASES:
        case()
