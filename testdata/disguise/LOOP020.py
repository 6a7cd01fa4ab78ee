"""Layers replaced after the optimizer was built, in many forms."""

from functools import partial

import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)


class Policy(nn.Module):
    def __init__(self, actions=3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
        self.head = nn.Linear(16, actions)
        self.log_scale = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return Categorical(logits=self.head(self.body(x)) * self.log_scale.exp())


def train(policy, optimizer, steps=2):
    for _ in range(steps):
        x = torch.randn(32, 4)
        dist = policy(x)
        action = dist.sample()
        reward = x.gather(1, action.clamp(max=3).unsqueeze(1)).squeeze(1)
        loss = -(dist.log_prob(action) * (reward - reward.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def new_head():
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    policy.head = nn.Linear(16, 4)  # bug: LOOP020
    train(policy, optimizer)


def new_parameter():
    policy = Policy()
    optimizer = torch.optim.SGD(policy.parameters(), lr=1e-2)
    policy.log_scale = nn.Parameter(torch.ones(()))  # bug: LOOP020
    train(policy, optimizer)


def new_weight():
    policy = Policy()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    policy.head.weight = nn.Parameter(0.01 * torch.randn(3, 16))  # bug: LOOP020
    train(policy, optimizer)


def sequential_item():
    net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    net[2] = nn.Linear(16, 4)  # bug: LOOP020
    train(lambda x: Categorical(logits=net(x)), optimizer)


def by_setattr():
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    setattr(policy, "head", nn.Linear(16, 4))  # bug: LOOP020
    train(policy, optimizer)


def widen(m, actions):
    m.head = nn.Linear(m.head.in_features, actions)  # bug: LOOP020


def helper():
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    widen(policy, 4)
    train(policy, optimizer)


class Agent:
    def __init__(self):
        self.policy = Policy()
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-3)

    def reset_head(self):
        self.policy.head = nn.Linear(16, 3)  # bug: LOOP020

    def run(self):
        train(self.policy, self.optimizer)
        self.reset_head()
        train(self.policy, self.optimizer)


def method():
    Agent().run()


class SelfBuilding(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-3)
        self.head = nn.Linear(16, 3)  # bug: LOOP020

    def forward(self, x):
        return Categorical(logits=self.head(torch.relu(self.body(x))))


def in_the_constructor():
    policy = SelfBuilding()
    train(policy, policy.optimizer)


def module_dict():
    nets = nn.ModuleDict({"body": nn.Linear(4, 16), "head": nn.Linear(16, 3)})
    optimizer = torch.optim.Adam(nets.parameters(), lr=1e-3)
    nets["head"] = nn.Linear(16, 4)  # bug: LOOP020
    train(lambda x: Categorical(logits=nets["head"](nets["body"](x).tanh())), optimizer)


def through_a_factory():
    make = partial(torch.optim.RMSprop, lr=1e-3)
    policy = Policy()
    optimizer = make(policy.parameters())
    policy.body[0] = nn.Linear(4, 16)  # bug: LOOP020
    train(policy, optimizer)


def in_the_loop():
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    for phase in range(3):
        if phase > 0:
            policy.head = nn.Linear(16, 3 + phase % 2)  # bug: LOOP020
        train(policy, optimizer)


CASES = [new_head, new_parameter, new_weight, sequential_item, by_setattr, helper, method, in_the_constructor, module_dict,
         through_a_factory, in_the_loop]

if __name__ == "__main__":
    for case in CASES:
        case()
