"""The weight of a term is an entropy that is detached behind the sum."""

import torch
import torch.nn as nn
import torch.nn.functional as F

actor = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))
critic = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))
log_alpha = torch.zeros(1, requires_grad=True)
opt = torch.optim.Adam(actor.parameters(), 3e-4)
alpha_opt = torch.optim.Adam([log_alpha], 3e-4)

def entropy_of(p):
    return -(p * p.log()).sum(-1)


def update(obs, target_entropy=0.5):
    logits = actor(obs)
    p = torch.softmax(logits, -1)
    logp = F.log_softmax(logits, dim=-1)
    weight = entropy_of(p).detach()
    loss = -(weight[:, None] * p * (critic(obs).detach() - logp)).sum(-1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()


for i in range(3):
    update(torch.randn(64, 8))
