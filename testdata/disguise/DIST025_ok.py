"""Softmax over the actions, whichever axis they are on, in many forms."""

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
    probs = F.softmax(net(x), dim=-1)
    return torch.multinomial(probs, 1)


def torch_function():
    p = torch.softmax(net(x), 1)
    return Categorical(probs=p).sample()


def method():
    p = net(x).softmax(dim=1)
    return Categorical(p).sample()


def module_attribute():
    soft = nn.Softmax(dim=-1)
    p = soft(net(x))
    return p.multinomial(1)


def negative_axis():
    scores = net(x)
    p = F.softmax(scores, dim=-1)
    return torch.multinomial(p, num_samples=1).squeeze(1)


def over_time():
    sequences = torch.randn(8, 5, STATES)
    p = F.softmax(net(sequences), dim=2)
    return Categorical(probs=p).sample()


def constant_axis():
    axis = 1
    q = torch.softmax(net(x), dim=axis)
    return torch.multinomial(q, 1)


def normalise(t, d):
    return t.softmax(d)


def helper():
    return torch.multinomial(normalise(net(x), 1), 1)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(STATES, 16), nn.Linear(16, ACTIONS)

    def forward(self, inputs):
        h = torch.relu(self.body(inputs))
        return F.softmax(self.head(h), dim=-1)

    def act(self, inputs):
        return Categorical(self(inputs)).sample()


def module():
    return Policy().act(x)


def through_tuple():
    def evaluate(inputs):
        return torch.softmax(net(inputs), dim=1), inputs.mean()

    p, _ = evaluate(x)
    return torch.multinomial(p, 1)


def through_dict():
    out = {"p": F.softmax(net(x), dim=1)}
    return out["p"].multinomial(1)


def through_lambda():
    head = lambda t: torch.softmax(net(t), 1)
    return Categorical(probs=head(x)).sample()


def single_observation():
    return torch.multinomial(F.softmax(net(x[0]), dim=0), 1)


def one_row_at_a_time():
    return [torch.multinomial(net(row).softmax(0), 1).item() for row in x]


def actions_first():
    table = net(x).t()
    return torch.multinomial(table.softmax(dim=0).t(), 1)


def ensemble_weights():
    heads = torch.stack([net(x), net(x + 0.1)])
    weights = F.softmax(heads.mean(dim=(1, 2)), dim=0)
    mixed = (weights.view(2, 1, 1) * heads).sum(dim=0)
    return Categorical(logits=mixed).sample()


def attention_over_time():
    sequences = torch.randn(8, 5, STATES)
    attention = F.softmax(sequences.mean(dim=-1, keepdim=True), dim=1)
    pooled = (attention * sequences).sum(dim=1)
    return Categorical(logits=net(pooled)).sample()


def numpy_rows():
    z = np.exp(net(x).detach().numpy().astype(np.float64))
    p = z / z.sum(axis=1, keepdims=True)
    return [np.random.choice(ACTIONS, p=row) for row in p]


CASES = [function, torch_function, method, module_attribute, negative_axis, over_time, constant_axis, helper, module,
         through_tuple, through_dict, through_lambda, numpy_rows, single_observation, one_row_at_a_time, actions_first,
         ensemble_weights, attention_over_time]

if __name__ == "__main__":
    for case in CASES:
        case()
