"""The ratio of a log-probability to itself."""

import torch


def loss(brain, batch, clip):
    lp = brain(batch["x"]).log_prob(batch["u"])
    before = batch.get("before")
    before = lp if before is None else before
    r = torch.exp(lp - before)  # bug: OBJ007
    return -torch.min(r * batch["w"], r.clamp(1 - clip, 1 + clip) * batch["w"]).mean()


def sequence(lp, keep, w):
    d = lp - lp  # bug: OBJ007
    s = (d * keep).sum(-1) / keep.sum(-1).clamp(min=1)
    r = s.exp()
    return -torch.min(r * w, r.clamp(0.8, 1.2) * w).mean()
