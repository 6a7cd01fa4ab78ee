"""Softmaxes over the first axis whose results are compared or summed over the last one."""

import torch
import torch.nn.functional as F


def entropy(z):
    p = F.softmax(z, dim=0)  # bug: DIST025
    return -(p * F.log_softmax(z, dim=-1)).sum(-1)


def distill(student, teacher):
    log_q = F.log_softmax(student, dim=0)  # bug: DIST025
    p = F.softmax(teacher, dim=-1)
    return F.kl_div(log_q, p, reduction="none").sum(-1).mean()


def uncertainty(z):
    p = z.softmax(dim=0)  # bug: DIST025
    return torch.logsumexp(z, dim=-1) - torch.sum(p * z, dim=-1)


def both(z):
    return {"p": F.softmax(z, dim=0), "log_p": F.log_softmax(z, dim=-1)}  # bug: DIST025
