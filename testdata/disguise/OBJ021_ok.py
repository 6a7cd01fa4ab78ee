"""The ratio exponentiated once, and exponentials of other things, in many forms."""

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
    return surrogate(torch.exp(evaluate(actions) - old), adv)


def method_chain():
    actions, old, adv = rollout()
    r = (evaluate(actions) - old).exp()
    return surrogate(r, adv)


def in_steps():
    actions, old, adv = rollout()
    r = torch.exp(evaluate(actions) - old)
    r = torch.exp(r.log())
    return surrogate(r, adv)


def in_place():
    actions, old, adv = rollout()
    r = (evaluate(actions) - old).exp()
    r = r.clone()
    r.log_().exp_()
    return surrogate(r, adv)


def quotient_of_probs():
    actions, old, adv = rollout()
    p, q = evaluate(actions).exp(), old.exp()
    r = p / q
    return surrogate(r, adv)


def ratio_of(a, b):
    return (a - b).exp()


def helper():
    actions, old, adv = rollout()
    r = ratio_of(evaluate(actions), old)
    return surrogate(r, adv)


def inside_helper():
    def loss(log_ratio, adv):
        ratio = torch.exp(log_ratio)
        return -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()

    actions, old, adv = rollout()
    return loss(evaluate(actions) - old, adv)


def through_dict():
    actions, old, adv = rollout()
    out = {"ratio": torch.exp(evaluate(actions) - old)}
    return surrogate(out["ratio"], adv)


def through_lambda():
    actions, old, adv = rollout()
    e = lambda t: torch.exp(t)
    return surrogate(e(evaluate(actions) - old), adv)


def through_comprehension():
    actions, old, adv = rollout()
    ratios = (evaluate(actions) - old).exp().split(16)
    r = torch.cat([part for part in ratios])
    return surrogate(r, adv)


def power():
    actions, old, adv = rollout()
    r = math.e ** (evaluate(actions) - old)
    return surrogate(r, adv)


class Learner:
    def __init__(self):
        self.actions, self.old, self.adv = rollout()

    def compare(self):
        self.ratio = torch.exp(evaluate(self.actions) - self.old)

    def loss(self):
        self.compare()
        return surrogate(self.ratio, self.adv)


def attribute():
    return Learner().loss()


class Loss(nn.Module):
    def forward(self, p, q, adv):
        r = p / q
        return -torch.min(r * adv, r.clamp(0.8, 1.2) * adv).mean()


def module():
    actions, old, adv = rollout()
    probs = torch.softmax(policy(observations), dim=-1).gather(1, actions.unsqueeze(1)).squeeze(1)
    return Loss()(probs, old.exp(), adv)


def numpy_twin():
    actions, old, adv = (part.numpy() for part in rollout())
    new = old + 0.01
    r = np.exp(new - old)
    return -np.minimum(r * adv, np.clip(r, 0.8, 1.2) * adv).mean()


def softmax_of_ratios():
    actions, old, adv = rollout()
    r = torch.exp(evaluate(actions) - old)
    weights = torch.softmax(r.detach(), dim=0)
    return surrogate(r, adv * weights * len(weights))


def advantage_weights():
    actions, old, adv = rollout()
    return -(torch.exp(adv / 0.5).clamp(max=20.0) * evaluate(actions)).mean()


CASES = [nested, method_chain, in_steps, in_place, quotient_of_probs, helper, inside_helper, through_dict, through_lambda,
         through_comprehension, power, attribute, module, numpy_twin, softmax_of_ratios, advantage_weights]

if __name__ == "__main__":
    for case in CASES:
        case()
