"""An epsilon that misses the denominator, in many forms."""

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

EPS = 1e-8
torch.manual_seed(0)
policy = nn.Linear(4, 3)


def rollout():
    x = torch.randn(64, 4)
    dist = Categorical(logits=policy(x))
    actions = dist.sample()
    return dist.log_prob(actions), (actions == x[:, :3].argmax(dim=1)).float()


def loss(advantages):
    logp, _ = rollout()
    return -(logp * advantages.reshape(-1)).mean()


def after_the_quotient():
    _, r = rollout()
    return loss((r - r.mean()) / r.std() + 1e-8)  # bug: ADV018


def constant():
    _, r = rollout()
    a = (r - r.mean()) / r.std() + EPS  # bug: ADV018
    return loss(a)


def in_the_numerator():
    _, r = rollout()
    return loss((r - r.mean() + 1e-8) / r.std())  # bug: ADV018


def grouped():
    _, r = rollout()
    g = r.view(-1, 8)
    return loss((g - g.mean(1, keepdim=True)) / g.std(1, keepdim=True) + 1e-6)  # bug: ADV018


def torch_functions():
    _, r = rollout()
    return loss(torch.add(torch.div(r - r.mean(), r.std()), 1e-8))  # bug: ADV018


def method_chain():
    _, r = rollout()
    return loss(r.sub(r.mean()).div(r.std()).add(1e-5))  # bug: ADV018


def named_parts():
    _, r = rollout()
    m, s = r.mean(), r.std()
    return loss((r - m) / s + 1e-10)  # bug: ADV018


def normalise(x, eps=1e-8):
    return (x - x.mean()) / x.std() + eps  # bug: ADV018


def helper():
    return loss(normalise(rollout()[1]))


def through_lambda():
    f = lambda t, e: (t - t.mean()) / t.std() + e  # bug: ADV018
    return loss(f(rollout()[1], 1e-7))


def through_comprehension():
    _, r = rollout()
    return loss(torch.cat([(g - g.mean()) / g.std() + 1e-8 for g in r.split(16)]))  # bug: ADV018


def missing_parentheses():
    _, r = rollout()
    return loss(r - r.mean() / (r.std() + 1e-8))  # bug: ADV018


class Scaler:
    def __init__(self, eps):
        self.eps = eps

    def scale(self, x):
        return (x - x.mean()) / x.std() + self.eps  # bug: ADV018


def attribute():
    return loss(Scaler(1e-8).scale(rollout()[1]))


class Layer(nn.Module):
    eps = 1e-5

    def forward(self, x):
        return (x - x.mean()) / x.var(unbiased=False).sqrt() + self.eps  # bug: ADV018


def module():
    return loss(Layer()(rollout()[1]))


def numpy_twin():
    r = rollout()[1].numpy()
    a = (r - np.mean(r)) / np.std(r) + 1e-8  # bug: ADV018
    return loss(torch.from_numpy(a))


CASES = [after_the_quotient, constant, in_the_numerator, grouped, torch_functions, method_chain, named_parts, helper,
         through_lambda, through_comprehension, missing_parentheses, attribute, module, numpy_twin]

if __name__ == "__main__":
    for case in CASES:
        case()
