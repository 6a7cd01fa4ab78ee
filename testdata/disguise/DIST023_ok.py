"""Scores made non-negative before multinomial or choice, in many forms."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
rng = np.random.default_rng(0)
net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
observations = torch.randn(16, 4)


def function():
    logits = net(observations)
    return torch.multinomial(torch.softmax(logits, dim=-1), 1)


def method_with_keywords():
    x = net(observations) / 0.7
    return x.softmax(dim=-1).multinomial(num_samples=1, replacement=True)


def chained():
    return net(observations).view(4, 4, 3).flatten(0, 1).softmax(-1).multinomial(1)


def pick(w):
    return torch.multinomial(input=w, num_samples=1)


def helper():
    return pick(F.softmax(net(observations), dim=1))


def in_place():
    z = net(observations)
    z.mul_(0.5)
    z -= z.amax(dim=-1, keepdim=True)
    z.exp_()
    return torch.multinomial(z, 1)


def squashed():
    u = torch.tanh(net(observations))
    u = (u + 1.0) / 2.0
    return torch.multinomial(u, 1)


def masked():
    allowed = torch.rand(16, 3) < 0.8
    allowed[:, 0] = True
    scores = net(observations).masked_fill(~allowed, -1e9)
    return torch.multinomial(scores.softmax(dim=-1), 1)


def through_tuple():
    def forward(x):
        return net(x), x.norm(dim=-1)

    a, _ = forward(observations)
    return a.softmax(1).multinomial(1)


def through_dict():
    out = {"scores": net(observations), "count": 16}
    return torch.multinomial(torch.exp(out["scores"] - out["scores"].logsumexp(-1, keepdim=True)), 1)


def through_lambda():
    head = lambda x: net(x).softmax(-1)
    draw = lambda v: v.multinomial(1)
    return draw(head(observations))


def through_comprehension():
    return torch.cat([torch.multinomial(row.softmax(0), 1) for row in net(observations)])


def linear_algebra():
    w, b = torch.randn(3, 4), torch.zeros(3)
    y = observations @ w.t() + b
    return torch.multinomial(y.relu() + 1e-3, 2)


def numpy_generator():
    z = net(observations[0]).detach().numpy()
    z = np.exp(z - z.max())
    z = z / z.sum()
    return rng.choice(3, p=z)


def numpy_module():
    weights = rng.normal(size=(4, 3))
    preferences = np.ones(4) @ weights
    return np.random.choice(np.arange(3), p=np.exp(preferences) / np.exp(preferences).sum())


class Agent:
    def __init__(self):
        self.net = nn.Linear(4, 3)
        self.last = None

    def think(self, x):
        self.last = self.net(x)

    def act(self):
        return torch.multinomial(F.softmax(self.last, dim=-1), 1)


def attribute():
    agent = Agent()
    agent.think(observations)
    return agent.act()


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.head(h)

    def sample(self, x):
        step = self.forward(x)[:, -1, :]
        return torch.multinomial(F.softmax(step, dim=-1), num_samples=1)


def module():
    return Policy().sample(torch.randn(5, 7, 4))


@dataclass
class Output:
    scores: torch.Tensor
    value: torch.Tensor


def record():
    out = Output(net(observations), torch.zeros(16))
    return out.scores.sigmoid().multinomial(1)


def filtered():
    logits = net(observations)
    threshold = logits.topk(2, dim=-1).values[:, -1:]
    logits = torch.where(logits < threshold, torch.full_like(logits, -float("inf")), logits)
    return torch.multinomial(torch.softmax(logits, dim=-1), 1)


def counts():
    visits = torch.zeros(5).index_add(0, torch.randint(0, 5, (40,)), torch.ones(40))
    return torch.multinomial(visits, 1)


def priorities():
    td_error = torch.randn(100)
    return torch.multinomial((td_error.abs() + 1e-6) ** 0.6, 10, replacement=True)


def softplus():
    return F.softplus(net(observations)).multinomial(1)


def squares():
    z = net(observations)
    return torch.multinomial(z * z + 1e-6, 1)


def clamped():
    return torch.multinomial(net(observations).clamp(min=1e-4), 1)


def uniform():
    return torch.multinomial(torch.ones(10), 3)


def numpy_weights():
    scores = np.abs(rng.normal(size=6)) + 1e-3
    return rng.choice(6, p=scores / scores.sum())


CASES = [function, method_with_keywords, chained, helper, in_place, squashed, masked, through_tuple, through_dict,
         through_lambda, through_comprehension, linear_algebra, numpy_generator, numpy_module, attribute, module, record,
         filtered, counts, priorities, softplus, squares, clamped, uniform, numpy_weights]

if __name__ == "__main__":
    for case in CASES:
        case()
