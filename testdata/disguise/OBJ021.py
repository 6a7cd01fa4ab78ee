"""The ratio exponentiated twice, in many forms."""

import math

import numpy as np
import torch
import torch.nn as nn
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


def nested():
    actions, old, adv = rollout()
    return surrogate(torch.exp(torch.exp(evaluate(actions) - old)), adv)  # bug: OBJ021


def method_chain():
    actions, old, adv = rollout()
    r = (evaluate(actions) - old).exp().exp()  # bug: OBJ021
    return surrogate(r, adv)


def in_steps():
    actions, old, adv = rollout()
    r = torch.exp(evaluate(actions) - old)
    r = torch.exp(r)  # bug: OBJ021
    return surrogate(r, adv)


def in_place():
    actions, old, adv = rollout()
    r = (evaluate(actions) - old).exp()
    r = r.clone()
    r.exp_()  # bug: OBJ021
    return surrogate(r, adv)


def quotient_of_probs():
    actions, old, adv = rollout()
    p, q = evaluate(actions).exp(), old.exp()
    r = torch.exp(p / q)  # bug: OBJ021
    return surrogate(r, adv)


def ratio_of(a, b):
    return (a - b).exp()


def helper():
    actions, old, adv = rollout()
    r = ratio_of(evaluate(actions), old)
    return surrogate(r.exp(), adv)  # bug: OBJ021


def inside_helper():
    def loss(log_ratio, adv):
        ratio = torch.exp(log_ratio)  # bug: OBJ021
        return -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()

    actions, old, adv = rollout()
    return loss(torch.exp(evaluate(actions) - old), adv)


def through_dict():
    actions, old, adv = rollout()
    out = {"ratio": torch.exp(evaluate(actions) - old)}
    return surrogate(torch.exp(out["ratio"]), adv)  # bug: OBJ021


def through_lambda():
    actions, old, adv = rollout()
    e = lambda t: torch.exp(t)  # bug: OBJ021
    return surrogate(e((evaluate(actions) - old).exp()), adv)


def through_comprehension():
    actions, old, adv = rollout()
    ratios = (evaluate(actions) - old).exp().split(16)
    r = torch.cat([part.exp() for part in ratios])  # bug: OBJ021
    return surrogate(r, adv)


def power():
    actions, old, adv = rollout()
    r = math.e ** torch.exp(evaluate(actions) - old)  # bug: OBJ021
    return surrogate(r, adv)


class Learner:
    def __init__(self):
        self.actions, self.old, self.adv = rollout()

    def compare(self):
        self.ratio = torch.exp(evaluate(self.actions) - self.old)

    def loss(self):
        self.compare()
        return surrogate(self.ratio.exp(), self.adv)  # bug: OBJ021


def attribute():
    return Learner().loss()


class Loss(nn.Module):
    def forward(self, p, q, adv):
        r = (p / q).exp()  # bug: OBJ021
        return -torch.min(r * adv, r.clamp(0.8, 1.2) * adv).mean()


def module():
    actions, old, adv = rollout()
    probs = torch.softmax(policy(observations), dim=-1).gather(1, actions.unsqueeze(1)).squeeze(1)
    return Loss()(probs, old.exp(), adv)


def numpy_twin():
    actions, old, adv = (part.numpy() for part in rollout())
    new = old + 0.01
    r = np.exp(np.exp(new - old))  # bug: OBJ021
    return -np.minimum(r * adv, np.clip(r, 0.8, 1.2) * adv).mean()


CASES = [nested, method_chain, in_steps, in_place, quotient_of_probs, helper, inside_helper, through_dict, through_lambda,
         through_comprehension, power, attribute, module, numpy_twin]

if __name__ == "__main__":
    for case in CASES:
        case()
