"""Softmaxes over the first axis of scores of known rank."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

gate = nn.Linear(8, 4)
atoms = nn.Linear(8, 6 * 51)
support = torch.linspace(-10, 10, 51)


def route(tokens):
    h = tokens.reshape(-1, 8)
    weights = F.softmax(gate(h), dim=0)  # bug: DIST025
    return torch.topk(weights, 2, dim=-1)


def values(h):
    q = atoms(h).view(-1, 6, 51)
    p = q.softmax(dim=0)  # bug: DIST025
    return (p * support).sum(-1)


def act(h):
    p = F.softmax(gate(h.view(1, 8)), dim=0)  # bug: DIST025
    return torch.argmax(p).item()


def imitate(h, actions):
    return F.nll_loss(F.log_softmax(gate(h), dim=0), actions)  # bug: DIST025


def agents(h):
    p = gate(h).view(-1, 3, 5, 4).softmax(dim=0)  # bug: DIST025
    return Categorical(p.permute(1, 0, 2, 3)).sample()


def sample(z):
    p = F.softmax(z, dim=0)  # bug: DIST025
    return torch.multinomial(p.reshape(-1, p.shape[-1]), 1)


def soft(z):
    policy = Categorical(logits=z.view(-1, 4))
    log_p = F.log_softmax(z.view(-1, 4), dim=0)  # bug: DIST025
    return (policy.probs * log_p).sum(-1)
