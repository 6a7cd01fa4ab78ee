"""Minimum and maximum flipped, in functions that nobody calls."""

import torch
from torch import nn


class Objective(nn.Module):
    def forward(self, new, batch):
        r = (new - batch.old).exp()
        worst = torch.max(r * batch.w, r.clamp(0.8, 1.2) * batch.w)  # bug: OBJ002
        return (-worst * batch.keep).sum() / batch.keep.sum(), r.mean()  # bug: TOK014


def two_sided(new, old, w, keep, cap):
    r = torch.exp(new - old)
    a = torch.minimum(-w * r, -w * r.clamp(0.8, 1.2))  # bug: OBJ002
    b = torch.min(-w * cap, a)
    return {"loss": torch.where(w < 0, b, a).mean(), "ratio": r.detach()}
