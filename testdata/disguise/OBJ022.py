"""Clip bounds that do not hold one, or that are in the wrong space, in many forms."""

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


def ratio_and_advantage():
    actions, old, adv = rollout()
    return torch.exp(evaluate(actions) - old), adv


def low_twice():
    eps = 0.2
    ratio, adv = ratio_and_advantage()
    clipped = torch.clamp(ratio, 1 - eps, 1 - eps)  # bug: OBJ022
    return -torch.min(ratio * adv, clipped * adv).mean()


def around_zero():
    ratio, adv = ratio_and_advantage()
    clipped = torch.clamp(ratio, -0.2, 0.2)  # bug: OBJ022
    return -torch.min(ratio * adv, clipped * adv).mean()


def method():
    e = 0.1
    r, a = ratio_and_advantage()
    return -torch.min(r * a, r.clamp(min=-e, max=e) * a).mean()  # bug: OBJ022


def wrong_space():
    actions, old, adv = rollout()
    d = evaluate(actions) - old
    clipped = torch.clamp(d, 1 - 0.2, 1 + 0.2).exp()  # bug: OBJ022
    return -torch.min(d.exp() * adv, clipped * adv).mean()


def percentage():
    clip = 20
    r, adv = ratio_and_advantage()
    clipped = torch.clip(r, 1 - clip, 1 + clip)  # bug: OBJ022
    return -torch.minimum(r * adv, clipped * adv).mean()


def crossed():
    r, adv = ratio_and_advantage()
    clipped = r.clamp(1.2, 0.8)  # bug: OBJ022
    return -torch.min(r * adv, clipped * adv).mean()


def bound(x, low, high):
    return torch.clamp(x, low, high)  # bug: OBJ022


def helper():
    eps = 0.2
    r, adv = ratio_and_advantage()
    return -torch.min(r * adv, bound(r, eps, eps) * adv).mean()


def in_place():
    r, adv = ratio_and_advantage()
    c = r.clone()
    c.clamp_(0.0, 0.2)  # bug: OBJ022
    return -torch.min(r * adv, c * adv).mean()


def through_dict():
    config = {"clip": 0.2}
    r, adv = ratio_and_advantage()
    c = r.clamp(-config["clip"], config["clip"])  # bug: OBJ022
    return -torch.min(r * adv, c * adv).mean()


def through_lambda():
    r, adv = ratio_and_advantage()
    clip = lambda t, e: t.clip(-e, e)  # bug: OBJ022
    return -torch.min(r * adv, clip(r, 0.2) * adv).mean()


def through_comprehension():
    r, adv = ratio_and_advantage()
    parts = [torch.clamp(p, 1 + 0.2, 1 + 0.2) for p in r.chunk(4)]  # bug: OBJ022
    return -torch.min(r * adv, torch.cat(parts) * adv).mean()


class Learner:
    def __init__(self, clip=0.2):
        self.low, self.high = -clip, clip

    def loss(self):
        self.ratio, self.adv = ratio_and_advantage()
        clipped = self.ratio.clamp(self.low, self.high)  # bug: OBJ022
        return torch.max(-self.ratio * self.adv, -clipped * self.adv).mean()


def attribute():
    return Learner().loss()


class Loss(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, r, adv):
        c = torch.clamp(r, -self.eps, self.eps)  # bug: OBJ022
        return -torch.min(r * adv, c * adv).mean()


def module():
    return Loss(0.2)(*ratio_and_advantage())


def numpy_twin():
    r, adv = (part.detach().numpy() for part in ratio_and_advantage())
    c = np.clip(r, -0.2, 0.2)  # bug: OBJ022
    return -np.minimum(r * adv, c * adv).mean()


CASES = [low_twice, around_zero, method, wrong_space, percentage, crossed, helper, in_place, through_dict, through_lambda,
         through_comprehension, attribute, module, numpy_twin]

if __name__ == "__main__":
    for case in CASES:
        case()
