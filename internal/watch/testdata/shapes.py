"""Tensors of many shapes and types, some not finite, that change behind the line; it prints what each was."""
import math
import os
import torch

torch.manual_seed(0)
for i in range(150):
    shape = [(), (5,), (2, 3), (0,), (7,)][i % 5]
    if i == 75:
        shape = (600, 500)
    x = torch.randn(shape, requires_grad=i % 2 == 0)
    if i % 7 == 0:
        x = (x > 0).long()
    elif i % 11 == 0 and x.numel():
        x = torch.where(torch.arange(x.numel()).view(shape) % 2 == 0, torch.tensor([math.nan, math.inf, -math.inf][i % 3]), x)
    elif i % 13 == 0:
        x = torch.complex(x, x)
    value = x.detach().requires_grad_(x.requires_grad)
    if not value.is_complex():
        good = value.detach().double().flatten()
        good = good[good.isfinite()]
        of = [good.mean(), good.min(), good.max()] if len(good) else [math.nan] * 3
        std = value.detach().double().std() if value.is_floating_point() and value.numel() > 1 else math.nan
        print("VALUE %s %d %d %d %d %s" % (tuple(shape), value.isnan().sum(), value.isinf().sum(), (value == 0).sum(), value.requires_grad, " ".join("%.8f" % v for v in [*of, std])))
    value.data.fill_(9)
    if i == 100:
        pid = os.fork()
        if pid == 0:
            break
if pid:
    os.waitpid(pid, 0)
