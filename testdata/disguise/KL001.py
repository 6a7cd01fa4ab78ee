"""A KL penalty with the wrong sign, in losses that nobody is seen to minimise."""

import torch
from torch import nn


def estimate(p, q, keep):
    d = q - p
    return (d.exp() - 1 - d) * keep


class Objective(nn.Module):
    def __init__(self, width, pull, cfg):
        super().__init__()
        self.width, self.pull, self.cfg = width, pull, cfg

    def forward(self, new, batch):
        r = (new - batch.old).exp()
        gain = torch.min(r * batch.w, r.clamp(1 - self.width, 1 + self.width) * batch.w)
        cost = -gain - self.pull * estimate(new, batch.ref, batch.live)  # bug: KL001
        return (cost * batch.live).sum() / batch.live.sum()


class Other(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg

    def forward(self, new, batch):
        r = (new - batch.old).exp()
        gain = torch.min(r * batch.w, r.clamp(0.8, 1.2) * batch.w)
        cost = torch.where(batch.live, -gain, 0.0).mean()
        k = torch.clamp(estimate(new, batch.ref, batch.live), -10, 10)
        return (cost - self.cfg.pull * k.mean()) * self.cfg.scale, r.detach()  # bug: KL001
