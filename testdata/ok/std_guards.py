"""One way of scaling advantages after the other, each guarded in its own way.

Trap: every function divides by a std, a root of a variance or a norm, and none can divide by zero: clamp, clamp_ and its
`min=` keyword, maximum, where on either side, nan_to_num, an early return, an if-expression, an assert, max() of Python,
adding before the root, F.normalize, a quotient taken only where the mask holds.
"""

import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


def by_clamp(a):
    return (a - a.mean()) / a.std().clamp(min=1e-6)


def by_clamp_in_place(a):
    s = a.std()
    s.clamp_(min=1e-6)
    return (a - a.mean()) / s


def by_maximum(a):
    floor = torch.tensor(1e-6)
    return (a - a.mean()) / torch.maximum(a.std(), floor)


def by_where_inside(a):
    s = a.std()
    return (a - a.mean()) / torch.where(s > 1e-6, s, torch.ones_like(s))


def by_where_outside(a):
    s = a.std()
    return torch.where(s > 1e-6, (a - a.mean()) / s, torch.zeros_like(a))


def by_nan_to_num(a):
    return torch.nan_to_num((a - a.mean()) / a.std(), nan=0.0, posinf=0.0, neginf=0.0)


def by_early_return(a):
    s = a.std()
    if s < 1e-6:
        return torch.zeros_like(a)
    return (a - a.mean()) / s


def by_if_expression(a):
    s = a.std().item()
    return (a - a.mean()) / (s if s > 0 else 1.0)


def by_assert(a):
    s = a.std()
    assert s > 0, "all rewards are equal"
    return (a - a.mean()) / s


def by_python_max(a):
    return (a - a.mean()) / max(a.std().item(), 1e-6)


def by_root(a):
    return (a - a.mean()) / torch.sqrt(a.var(unbiased=False) + 1e-8)


def by_math(a):
    values = a.tolist()
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / len(values)
    return torch.tensor([(v - mean) / math.sqrt(variance + 1e-8) for v in values])


def by_reciprocal(a):
    return (a - a.mean()) * torch.reciprocal(a.std() + 1e-8)


def by_normalize(a):
    return F.normalize(a - a.mean(), dim=0) * math.sqrt(a.numel())


def by_norm(a):
    centred = a - a.mean()
    return centred / (centred.norm() + 1e-8)


def by_numpy(a):
    x = a.numpy()
    scaled = np.divide(x - x.mean(), x.std(), out=np.zeros_like(x), where=x.std() > 0)
    return torch.from_numpy(scaled)


def by_unless_equal(a):
    centred = a - a.mean()
    if not torch.allclose(a, a[0].expand_as(a)):
        centred = centred / a.std()
    return centred


WAYS = [by_clamp, by_clamp_in_place, by_maximum, by_where_inside, by_where_outside, by_nan_to_num, by_early_return,
        by_if_expression, by_assert, by_python_max, by_root, by_math, by_reciprocal, by_normalize, by_norm, by_numpy,
        by_unless_equal]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=40)
    args = parser.parse_args()
    for way in WAYS:
        torch.manual_seed(0)
        policy = nn.Linear(4, 3)
        optimizer = torch.optim.Adam(policy.parameters(), lr=0.03)
        for _ in range(args.updates):
            x = torch.randn(64, 4)
            dist = Categorical(logits=policy(x))
            action = dist.sample()
            reward = (action == x[:, :3].argmax(dim=1)).float()
            loss = -(dist.log_prob(action) * way(reward)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"{way.__name__}: {reward.mean().item():.3f}")


if __name__ == "__main__":
    main()
