"""Actors that a critic trains: the log-probability of the action drawn, counted with the sign of the critic's value."""

import torch
from torch import nn
from torch.distributions import Normal

actor, critic, other = nn.Linear(4, 4), nn.Linear(6, 1), nn.Linear(6, 1)
heat = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.Adam(actor.parameters())
WEIGHT = 0.2


def draw(x):
    m, s = actor(x).chunk(2, -1)
    d = Normal(m, s.exp())
    z = d.rsample()
    u = torch.tanh(z)
    return u, (d.log_prob(z) - torch.log(1 - u.pow(2) + 1e-6)).sum(-1, keepdim=True)


def step(loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def learned(x):
    u, lp = draw(x)
    q = critic(torch.cat([x, u], -1))
    step((-heat.exp().detach() * lp - q).mean())  # bug: OBJ012


def fixed(x):
    u, lp = draw(x)
    xu = torch.cat([x, u], -1)
    q = torch.min(critic(xu), other(xu))
    step(-(q + WEIGHT * lp).mean())  # bug: OBJ012


def right(x):
    u, lp = draw(x)
    q = critic(torch.cat([x, u], -1))
    step((heat.exp().detach() * lp - q).mean())
    step(-(q - WEIGHT * lp).mean())


def unknown(x, c):
    u, lp = draw(x)
    q = critic(torch.cat([x, u], -1))
    step((-heat * lp - q).mean())  # the weight is learned, and may be negative


def prior(x):
    m, s = actor(x).chunk(2, -1)
    u = Normal(m, s.exp()).rsample()
    fit = critic(torch.cat([x, u], -1))
    step(-(fit + WEIGHT * Normal(0.0, 1.0).log_prob(u).sum(-1, keepdim=True)).mean())  # of another distribution
