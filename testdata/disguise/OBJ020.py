"""The importance ratio upside down, in many forms."""

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
    ratio = torch.exp(old - evaluate(actions))  # bug: OBJ020
    return surrogate(ratio, adv)


def method_chain():
    actions, old, adv = rollout()
    w = old.sub(evaluate(actions)).exp()  # bug: OBJ020
    return -torch.min(w * adv, w.clamp(0.8, 1.2) * adv).mean()


def torch_functions():
    actions, old, adv = rollout()
    w = torch.exp(torch.sub(old, evaluate(actions)))  # bug: OBJ020
    return torch.max(-adv * w, -adv * torch.clip(w, 0.8, 1.2)).mean()


def negated():
    actions, old, adv = rollout()
    d = evaluate(actions) - old
    return surrogate((-d).exp(), adv)  # bug: OBJ020


def in_place():
    actions, old, adv = rollout()
    d = old - evaluate(actions)
    d = d.clone()
    d.exp_()  # bug: OBJ020
    return surrogate(d, adv)


def weigh(a, b):
    return (b - a).exp()  # bug: OBJ020


def helper():
    actions, old, adv = rollout()
    return surrogate(weigh(evaluate(actions), old), adv)


def arguments_crossed():
    def compare(now, before):
        return torch.exp(now - before)  # bug: OBJ020

    actions, old, adv = rollout()
    return surrogate(compare(old, evaluate(actions)), adv)


def through_dict():
    actions, old, adv = rollout()
    logp = {"before": old, "now": evaluate(actions)}
    r = torch.exp(logp["before"] - logp["now"])  # bug: OBJ020
    return surrogate(r, adv)


def through_lambda():
    actions, old, adv = rollout()
    compare = lambda n, o: torch.exp(o - n)  # bug: OBJ020
    return surrogate(compare(evaluate(actions), old), adv)


def through_comprehension():
    actions, old, adv = rollout()
    pairs = zip(evaluate(actions).chunk(4), old.chunk(4))
    r = torch.cat([(o - n).exp() for n, o in pairs])  # bug: OBJ020
    return surrogate(r, adv)


class Learner:
    def __init__(self):
        self.actions, self.old, self.adv = rollout()

    def ratio(self):
        self.new = evaluate(self.actions)
        return torch.exp(self.old - self.new)  # bug: OBJ020

    def loss(self):
        return surrogate(self.ratio(), self.adv)


def attribute():
    return Learner().loss()


class Loss(nn.Module):
    def forward(self, new, old, adv):
        r = torch.exp(old - new)  # bug: OBJ020
        return -torch.min(r * adv, r.clamp(0.8, 1.2) * adv).mean()


def module():
    actions, old, adv = rollout()
    return Loss()(evaluate(actions), old, adv)


def from_cross_entropy():
    actions, old, adv = rollout()
    loss = F.cross_entropy(policy(observations), actions, reduction="none")
    r = torch.exp(loss + old)  # bug: OBJ020
    return surrogate(r, adv)


def quotient_of_probs():
    actions, old, adv = rollout()
    r = old.exp() / evaluate(actions).exp()  # bug: OBJ020
    return surrogate(r, adv)


CASES = [operators, method_chain, torch_functions, negated, in_place, helper, arguments_crossed, through_dict, through_lambda,
         through_comprehension, attribute, module, from_cross_entropy, quotient_of_probs]

if __name__ == "__main__":
    for case in CASES:
        case()


class Learner:
    def __init__(self, brain, opt):
        self.brain, self.opt = brain, opt

    def improve(self, store):
        for piece in store.chunks(64):
            d = self.brain.judge(piece.x)
            r = torch.exp(piece.before - d.log_prob(piece.u).sum(-1))  # bug: OBJ020
            loss = -torch.min(r * piece.w, r.clamp(0.8, 1.2) * piece.w).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


def step(brain, piece, opt):
    d = brain(piece["x"])
    r = (piece["before"] - d.log_prob(piece["u"])).exp()  # bug: OBJ020
    loss = torch.max(-r * piece["w"], -r.clamp(0.8, 1.2) * piece["w"]).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
