"""Log-probabilities given to multinomial or choice, in many forms."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
rng = np.random.default_rng(0)
net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
x = torch.randn(16, 4)


def function():
    return torch.multinomial(F.log_softmax(net(x), dim=-1), 1)  # bug: DIST024


def method():
    a = net(x).log_softmax(-1)
    return a.multinomial(1)  # bug: DIST024


def by_hand():
    z = net(x)
    z = z - torch.logsumexp(z, dim=-1, keepdim=True)
    return torch.multinomial(z, num_samples=1)  # bug: DIST024


def augmented():
    z = net(x)
    z -= z.logsumexp(1, keepdim=True)
    return z.multinomial(2)  # bug: DIST024


def log_of_softmax():
    p = torch.softmax(net(x), dim=1)
    q = torch.log(p)
    return torch.multinomial(q, 1)  # bug: DIST024


def draw(t):
    return torch.multinomial(t, 1)  # bug: DIST024


def helper():
    return draw(F.log_softmax(net(x), 1))


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.normalise = nn.Linear(4, 3), nn.LogSoftmax(dim=-1)

    def forward(self, inputs):
        return self.normalise(self.linear(inputs))

    def act(self, inputs):
        return self(inputs).multinomial(1).squeeze(-1)  # bug: DIST024


def module():
    return Head().act(x)


def sequential():
    model = nn.Sequential(nn.Linear(4, 3), nn.LogSoftmax(dim=1))
    out = model(x)
    return torch.multinomial(out, 1)  # bug: DIST024


def through_tuple():
    def evaluate(inputs):
        table = F.log_softmax(net(inputs), dim=-1)
        return table, -(table.exp() * table).sum(-1)

    first, _ = evaluate(x)
    return torch.multinomial(first, 1)  # bug: DIST024


def through_dict():
    batch = dict(table=F.log_softmax(net(x), dim=-1))
    return batch["table"].multinomial(1)  # bug: DIST024


def through_lambda():
    normal = lambda v: v.log_softmax(dim=-1)
    return torch.multinomial(normal(net(x)), 1)  # bug: DIST024


def through_comprehension():
    rows = [F.log_softmax(net(row), dim=0) for row in x]
    return [torch.multinomial(row, 1).item() for row in rows]  # bug: DIST024


def with_reshape():
    table = net(x).reshape(4, 4, 3).log_softmax(dim=-1).permute(1, 0, 2).reshape(-1, 3)
    return torch.multinomial(table, 1)  # bug: DIST024


def with_temperature():
    table = (net(x) / 0.8).log_softmax(dim=-1)
    return torch.multinomial(table[:4].detach(), 1)  # bug: DIST024


def numpy_choice():
    z = net(x[0]).detach().numpy().astype(np.float64)
    logp = z - np.log(np.sum(np.exp(z)))
    return rng.choice(3, p=logp)  # bug: DIST024


class Explorer:
    def __init__(self):
        self.model = nn.Linear(4, 3)

    def observe(self, inputs):
        self.logp = self.model(inputs).log_softmax(-1)

    def choose(self):
        return self.logp.multinomial(1)  # bug: DIST024


def attribute():
    explorer = Explorer()
    explorer.observe(x)
    return explorer.choose()


CASES = [function, method, by_hand, augmented, log_of_softmax, helper, module, sequential, through_tuple, through_dict,
         through_lambda, through_comprehension, with_reshape, with_temperature, numpy_choice, attribute]

if __name__ == "__main__":
    for case in CASES:
        case()
