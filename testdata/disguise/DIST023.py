"""Raw scores given to multinomial or choice, in many forms."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
observations = torch.randn(16, 4)


def function():
    logits = net(observations)
    return torch.multinomial(logits, 1)  # bug: DIST023


def method_with_keywords():
    x = net(observations) / 0.7
    return x.multinomial(num_samples=1, replacement=True)  # bug: DIST023


def chained():
    return net(observations).view(4, 4, 3).flatten(0, 1).multinomial(1)  # bug: DIST023


def pick(w):
    return torch.multinomial(input=w, num_samples=1)  # bug: DIST023


def helper():
    return pick(net(observations))


def in_place():
    z = net(observations)
    z.mul_(0.5)
    z -= z.amax(dim=-1, keepdim=True)
    return torch.multinomial(z, 1)  # bug: DIST023


def squashed():
    u = torch.tanh(net(observations))
    return torch.multinomial(u, 1)  # bug: DIST023


def masked():
    allowed = torch.rand(16, 3) < 0.8
    allowed[:, 0] = True
    scores = net(observations).masked_fill(~allowed, -1e9)
    return torch.multinomial(scores, 1)  # bug: DIST023


def through_tuple():
    def forward(x):
        return net(x), x.norm(dim=-1)

    a, _ = forward(observations)
    return a.multinomial(1)  # bug: DIST023


def through_dict():
    out = {"scores": net(observations), "count": 16}
    return torch.multinomial(out["scores"], 1)  # bug: DIST023


def through_lambda():
    head = lambda x: net(x)
    draw = lambda v: v.multinomial(1)  # bug: DIST023
    return draw(head(observations))


def through_comprehension():
    return torch.cat([torch.multinomial(row, 1) for row in net(observations)])  # bug: DIST023


def linear_algebra():
    w, b = torch.randn(3, 4), torch.zeros(3)
    y = observations @ w.t() + b
    return torch.multinomial(y, 2)  # bug: DIST023


def numpy_generator():
    z = net(observations[0]).detach().numpy()
    return rng.choice(3, p=z)  # bug: DIST023


def numpy_module():
    weights = rng.normal(size=(4, 3))
    preferences = np.ones(4) @ weights
    return np.random.choice(np.arange(3), p=preferences)  # bug: DIST023


class Agent:
    def __init__(self):
        self.net = nn.Linear(4, 3)
        self.last = None

    def think(self, x):
        self.last = self.net(x)

    def act(self):
        return torch.multinomial(self.last, 1)  # bug: DIST023


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
        return torch.multinomial(step, num_samples=1)  # bug: DIST023


def module():
    return Policy().sample(torch.randn(5, 7, 4))


@dataclass
class Output:
    scores: torch.Tensor
    value: torch.Tensor


def record():
    out = Output(net(observations), torch.zeros(16))
    return out.scores.multinomial(1)  # bug: DIST023


def filtered():
    logits = net(observations)
    threshold = logits.topk(2, dim=-1).values[:, -1:]
    logits = torch.where(logits < threshold, torch.full_like(logits, -float("inf")), logits)
    return torch.multinomial(logits, 1)  # bug: DIST023


CASES = [function, method_with_keywords, chained, helper, in_place, squashed, masked, through_tuple, through_dict,
         through_lambda, through_comprehension, linear_algebra, numpy_generator, numpy_module, attribute, module, record,
         filtered]

if __name__ == "__main__":
    for case in CASES:
        case()
