"""Quotients that are ratios, or that are something else, in many forms."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
observations = torch.randn(64, 4)


def rollout():
    """Return actions, their log-probs at the time of acting, and advantages."""
    with torch.no_grad():
        dist = Categorical(logits=policy(observations))
        actions = dist.sample()
        old = dist.log_prob(actions)
    rewards = (actions == observations[:, :3].argmax(dim=1)).float()
    return actions, old, (rewards - rewards.mean()) / (rewards.std() + 1e-8)


def evaluate(actions):
    return Categorical(logits=policy(observations)).log_prob(actions)


def surrogate(ratio, advantages, eps=0.2):
    return -torch.min(ratio * advantages, torch.clamp(ratio, 1 - eps, 1 + eps) * advantages).mean()


def operators():
    actions, old, adv = rollout()
    return surrogate((evaluate(actions) - old).exp(), adv)


def torch_functions():
    actions, old, adv = rollout()
    r = torch.div(evaluate(actions).exp(), old.exp())
    return surrogate(r, adv)


def method_chain():
    actions, old, adv = rollout()
    r = evaluate(actions).exp().div(old.exp())
    return surrogate(r, adv)


def with_epsilon():
    actions, old, adv = rollout()
    r = evaluate(actions).exp() / (old.exp() + 1e-8)
    return surrogate(r, adv)


def augmented():
    actions, old, adv = rollout()
    r = evaluate(actions)
    r -= old
    return surrogate(r.exp(), adv)


def in_place():
    actions, old, adv = rollout()
    r = evaluate(actions).clone()
    r.exp_().div_(old.exp())
    return surrogate(r, adv)


def quotient(a, b):
    return a / b


def helper():
    actions, old, adv = rollout()
    return surrogate(quotient(evaluate(actions).exp(), old.exp()), adv)


def through_tuple():
    actions, old, adv = rollout()
    pair = (evaluate(actions), old)
    r = (pair[0] - pair[1]).exp()
    return surrogate(r, adv)


def through_dict():
    actions, old, adv = rollout()
    batch = {"old": old, "new": evaluate(actions)}
    r = (batch["new"] - batch["old"]).exp()
    return surrogate(r, adv)


def through_lambda():
    actions, old, adv = rollout()
    compare = lambda a, b: (a - b).exp()
    return surrogate(compare(evaluate(actions), old), adv)


def through_comprehension():
    actions, old, adv = rollout()
    r = torch.cat([(n - o).exp() for n, o in zip(evaluate(actions).split(8), old.split(8))])
    return surrogate(r, adv)


@dataclass
class Batch:
    actions: torch.Tensor
    old: torch.Tensor
    adv: torch.Tensor


class Learner:
    def __init__(self):
        self.batch = Batch(*rollout())

    def loss(self):
        new = evaluate(self.batch.actions)
        self.r = (new - self.batch.old).exp()
        return surrogate(self.r, self.batch.adv)


def attribute():
    return Learner().loss()


class Loss(nn.Module):
    def forward(self, a, b, adv):
        q = (a - b).exp()
        return -torch.min(q * adv, q.clamp(0.8, 1.2) * adv).mean()


def module():
    actions, old, adv = rollout()
    return Loss()(evaluate(actions), old, adv)


def from_cross_entropy():
    actions, old, adv = rollout()
    nll = F.cross_entropy(policy(observations), actions, reduction="none")
    r = torch.exp(-nll - old)
    return surrogate(r, adv)


def numpy_twin():
    actions, old, adv = (part.numpy() for part in rollout())
    with torch.no_grad():
        new = evaluate(torch.from_numpy(actions)).numpy()
    r = np.exp(new - old)
    return -np.minimum(r * adv, np.clip(r, 0.8, 1.2) * adv).mean()


def by_temperature():
    actions, old, adv = rollout()
    tempered = (evaluate(actions) / 0.7).exp()
    return surrogate((evaluate(actions) - old).exp(), adv) + 0.0 * tempered.mean()


def by_length():
    actions, old, adv = rollout()
    lengths = torch.full((64,), 5.0)
    return surrogate(((evaluate(actions) - old) / lengths).exp(), adv)


def relative_entropy_logged():
    actions, old, adv = rollout()
    new = evaluate(actions)
    print("log-likelihood gained", (new.mean() - old.mean()).item() / abs(old.mean().item()))
    return surrogate((new - old).exp(), adv)


CASES = [operators, torch_functions, method_chain, with_epsilon, augmented, in_place, helper, through_tuple, through_dict,
         through_lambda, through_comprehension, attribute, module, from_cross_entropy, numpy_twin, by_temperature, by_length,
         relative_entropy_logged]

if __name__ == "__main__":
    for case in CASES:
        case()
