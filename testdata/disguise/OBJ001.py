"""The log-ratio taken for the importance ratio, in many forms."""

from typing import NamedTuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical, Normal

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
    ratio = evaluate(actions) - old  # bug: OBJ001
    return -torch.min(ratio * adv, torch.clamp(ratio, 0.8, 1.2) * adv).mean()


def torch_functions():
    actions, old, adv = rollout()
    x = torch.sub(evaluate(actions), old)  # bug: OBJ001
    y = torch.clip(x, 1.0 - 0.2, 1.0 + 0.2)
    return torch.neg(torch.mean(torch.minimum(torch.mul(x, adv), torch.mul(y, adv))))


def method_chain():
    actions, old, adv = rollout()
    x = evaluate(actions).sub(old)  # bug: OBJ001
    return torch.max(-adv * x, -adv * x.clamp(min=0.8, max=1.2)).mean()


def augmented():
    actions, old, adv = rollout()
    d = evaluate(actions)
    d -= old  # bug: OBJ001
    return surrogate(d, adv)


def in_place():
    actions, old, adv = rollout()
    d = evaluate(actions).clone()
    d.sub_(old)  # bug: OBJ001
    return surrogate(d, adv)


def negated():
    actions, old, adv = rollout()
    r = -(old - evaluate(actions))  # bug: OBJ001
    return surrogate(r, adv, eps=0.1)


def difference(a, b):
    return a - b  # bug: OBJ001


def helper():
    actions, old, adv = rollout()
    return surrogate(difference(evaluate(actions), old), adv)


def through_tuple():
    def compare(a, b):
        return a - b, a.numel()  # bug: OBJ001

    actions, old, adv = rollout()
    weight, _ = compare(evaluate(actions), old)
    return surrogate(weight, adv)


def through_dict():
    actions, old, adv = rollout()
    batch = {"actions": actions, "old": old, "adv": adv}
    out = {"r": evaluate(batch["actions"]) - batch["old"]}  # bug: OBJ001
    return surrogate(out["r"], batch["adv"])


def through_lambda():
    actions, old, adv = rollout()
    compare = lambda a, b: a - b  # bug: OBJ001
    return surrogate(compare(evaluate(actions), old), adv)


def through_comprehension():
    actions, old, adv = rollout()
    new = evaluate(actions)
    ratios = [n - o for n, o in zip(new.chunk(4), old.chunk(4))]  # bug: OBJ001
    return sum(surrogate(ratio, a) for ratio, a in zip(ratios, adv.chunk(4)))


class Batch(NamedTuple):
    actions: torch.Tensor
    old: torch.Tensor
    adv: torch.Tensor


class Learner:
    def __init__(self, eps):
        self.eps, self.batch = eps, Batch(*rollout())

    def compare(self):
        self.q = evaluate(self.batch.actions) - self.batch.old  # bug: OBJ001

    def loss(self):
        self.compare()
        bounded = self.q.clamp(1 - self.eps, 1 + self.eps)
        return -torch.min(self.q * self.batch.adv, bounded * self.batch.adv).mean()


def attribute():
    return Learner(0.2).loss()


class Loss(nn.Module):
    def __init__(self, eps=0.2):
        super().__init__()
        self.low, self.high = 1 - eps, 1 + eps

    def forward(self, new, old, adv):
        d = new - old  # bug: OBJ001
        return -torch.where(adv > 0, d.clamp(max=self.high), d.clamp(min=self.low)).mul(adv).mean()


def module():
    actions, old, adv = rollout()
    return Loss()(evaluate(actions), old, adv)


def from_cross_entropy():
    actions, old, adv = rollout()
    new = -F.cross_entropy(policy(observations), actions, reduction="none")
    return surrogate(new - old, adv)  # bug: OBJ001


def from_gather():
    actions, old, adv = rollout()
    table = policy(observations).log_softmax(-1)
    picked = table.gather(1, actions[:, None]).squeeze(1)
    w = picked - old  # bug: OBJ001
    return surrogate(w, adv)


def from_log_of_probs():
    actions, old, adv = rollout()
    probs = F.softmax(policy(observations), dim=-1)
    taken = torch.log(probs.gather(1, actions.unsqueeze(1)).squeeze(1) + 1e-10)
    w = taken - old  # bug: OBJ001
    return surrogate(w, adv)


def continuous():
    mean = nn.Linear(4, 2)
    with torch.no_grad():
        before = Normal(mean(observations), 0.5)
        a = before.sample()
        old = before.log_prob(a).sum(-1)
    adv = a.norm(dim=-1) - a.norm(dim=-1).mean()
    new = Normal(mean(observations), 0.5).log_prob(a).sum(-1)
    z = new - old  # bug: OBJ001
    return surrogate(z, adv)


def tokens():
    lm, ids = nn.Linear(4, 7), torch.randint(0, 7, (16, 5))
    states = torch.randn(16, 5, 4)

    def per_token(model):
        return model(states).log_softmax(-1).gather(-1, ids.unsqueeze(-1)).squeeze(-1)

    with torch.no_grad():
        old = per_token(lm)
    rewards = (ids == 3).float().sum(1)
    adv = (rewards - rewards.mean()).unsqueeze(1)
    coef = per_token(lm) - old  # bug: OBJ001
    return -torch.min(coef * adv, coef.clamp(0.8, 1.28) * adv).mean()


def numpy_twin():
    rng = np.random.default_rng(0)

    def log_softmax(z):
        z = z - z.max(axis=1, keepdims=True)
        return z - np.log(np.exp(z).sum(axis=1, keepdims=True))

    x, w = rng.normal(size=(32, 4)), rng.normal(size=(4, 3))
    a, rows = rng.integers(0, 3, size=32), np.arange(32)
    old, new = log_softmax(x @ w)[rows, a], log_softmax(x @ (w + 0.01))[rows, a]
    rewards = (a == 1).astype(float)
    adv = rewards - rewards.mean()
    ratio = new - old  # bug: OBJ001
    return -np.minimum(ratio * adv, np.clip(ratio, 0.8, 1.2) * adv).mean()


CASES = [operators, torch_functions, method_chain, augmented, in_place, negated, helper, through_tuple, through_dict,
         through_lambda, through_comprehension, attribute, module, from_cross_entropy, from_gather, from_log_of_probs,
         continuous, tokens, numpy_twin]

if __name__ == "__main__":
    for case in CASES:
        case()
