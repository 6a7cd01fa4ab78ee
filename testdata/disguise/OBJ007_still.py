"""The old policy is another network, with a body of one of two kinds, and no optimizer holds it: its gradients go nowhere."""

import copy

import torch
from torch import nn
from torch.distributions import Normal


class Brain(nn.Module):
    def __init__(self, wide):
        super().__init__()
        if wide:
            self.body = nn.Sequential(nn.Linear(4, 64), nn.Tanh())
        else:
            self.body = nn.Linear(4, 64)
        self.centre, self.worth = nn.Linear(64, 2), nn.Linear(64, 1)

    def forward(self, x, u):
        h = torch.relu(self.body(x))
        return Normal(self.centre(h), 0.2).log_prob(u).sum(-1), self.worth(h).squeeze(-1)


class Learner:
    def __init__(self, wide=False):
        self.still = Brain(wide)
        self.moving = copy.deepcopy(self.still)
        self.optimizer = torch.optim.Adam(self.moving.parameters())

    def update(self, x, u, returns):
        before, _ = self.still(x, u)
        for _ in range(4):
            now, worth = self.moving(x, u)
            gain = (returns - worth).detach()
            r = torch.exp(now - before)  # ok: the gradient for the still network is not used
            loss = -torch.min(r * gain, r.clamp(0.8, 1.2) * gain).mean() + (worth - returns).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward(retain_graph=True)
            self.optimizer.step()
        self.still.load_state_dict(self.moving.state_dict())


def follow(steps):
    guide, learner = nn.Linear(4, 2), Learner()
    teacher = torch.optim.Adam(guide.parameters())
    for _ in range(steps):
        x = torch.randn(8, 4)
        teacher.zero_grad()
        (guide(x) ** 2).mean().backward()
        teacher.step()
        learner.update(x, guide(x).detach(), torch.randn(8))


follow(10)
