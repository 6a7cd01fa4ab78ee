"""A clip behind its step, where a later phase adds to the same gradients and clips them once more."""

import torch
from torch import nn


def train(batches, extra):
    net = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in batches:
        loss = (net(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)  # bug: LOOP004
    for x, y in extra:
        loss = (net(x) - y).abs().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        optimizer.zero_grad()
