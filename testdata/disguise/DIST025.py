"""Softmax over the batch or over time before actions are drawn, in many forms."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(0)
BATCH, STATES, ACTIONS = 16, 4, 3
net = nn.Sequential(nn.Linear(STATES, 32), nn.Tanh(), nn.Linear(32, ACTIONS))
x = torch.randn(BATCH, STATES)


def function():
    probs = F.softmax(net(x), dim=0)  # bug: DIST025
    return torch.multinomial(probs, 1)


def torch_function():
    p = torch.softmax(net(x), 0)  # bug: DIST025
    return Categorical(probs=p).sample()


def method():
    p = net(x).softmax(dim=0)  # bug: DIST025
    return Categorical(p).sample()


def module_attribute():
    soft = nn.Softmax(dim=0)
    p = soft(net(x))  # bug: DIST025
    return p.multinomial(1)


def negative_axis():
    scores = net(x)
    p = F.softmax(scores, dim=-2)  # bug: DIST025
    return torch.multinomial(p, num_samples=1).squeeze(1)


def over_time():
    sequences = torch.randn(8, 5, STATES)
    p = F.softmax(net(sequences), dim=1)  # bug: DIST025
    return Categorical(probs=p).sample()


def constant_axis():
    axis = 0
    q = torch.softmax(net(x), dim=axis)  # bug: DIST025
    return torch.multinomial(q, 1)


def normalise(t, d):
    return t.softmax(d)  # bug: DIST025


def helper():
    return torch.multinomial(normalise(net(x), 0), 1)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(STATES, 16), nn.Linear(16, ACTIONS)

    def forward(self, inputs):
        h = torch.relu(self.body(inputs))
        return F.softmax(self.head(h), dim=0)  # bug: DIST025

    def act(self, inputs):
        return Categorical(self(inputs)).sample()


def module():
    return Policy().act(x)


def through_tuple():
    def evaluate(inputs):
        return torch.softmax(net(inputs), dim=0), inputs.mean()  # bug: DIST025

    p, _ = evaluate(x)
    return torch.multinomial(p, 1)


def through_dict():
    out = {"p": F.softmax(net(x), dim=0)}  # bug: DIST025
    return out["p"].multinomial(1)


def through_lambda():
    head = lambda t: torch.softmax(net(t), 0)  # bug: DIST025
    return Categorical(probs=head(x)).sample()


def numpy_rows():
    z = np.exp(net(x).detach().numpy().astype(np.float64))
    p = z / z.sum(axis=1, keepdims=True)
    return [np.random.choice(ACTIONS, p=row) for row in p]


CASES = [function, torch_function, method, module_attribute, negative_axis, over_time, constant_axis, helper, module,
         through_tuple, through_dict, through_lambda, numpy_rows]

if __name__ == "__main__":
    for case in CASES:
        case()
