"""A draw from scores that are masked by minus infinity."""

import torch


def pick(allowed):
    scores = torch.rand(allowed.shape)
    scores[~allowed] = -torch.inf
    return torch.multinomial(scores, 1)  # bug: DIST023
