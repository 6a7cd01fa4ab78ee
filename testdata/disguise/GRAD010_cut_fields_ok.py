"""The network returns its entropy, and the temperature learns from it, detached behind a sum."""

import torch
import torch.nn as nn
import torch.nn.functional as F

actor = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))
critic = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))
log_alpha = torch.zeros(1, requires_grad=True)
opt = torch.optim.Adam(actor.parameters(), 3e-4)
alpha_opt = torch.optim.Adam([log_alpha], 3e-4)

class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = actor

    def forward(self, x):
        p = torch.softmax(self.net(x), -1)
        return p, (p * p.log()).sum(-1)

head = Head()


def update(obs, target_entropy=0.5):
    p, neg = head(obs)
    loss = -(p * critic(obs).detach()).sum(-1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    alpha_loss = -(log_alpha * (neg + target_entropy).detach()).mean()
    alpha_opt.zero_grad()
    alpha_loss.backward()
    alpha_opt.step()


for i in range(3):
    update(torch.randn(64, 8))
