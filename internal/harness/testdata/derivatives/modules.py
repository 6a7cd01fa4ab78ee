# settings: {"loss": true}
"""Modules as programs have them. The docstring of each is the verdict on it, and the beginning of
the reason where there is one."""

import torch
from torch import nn
from torch.autograd import Function


class Normed(nn.Module):
    """right"""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 2))

    def forward(self, x):
        return self.layers(x)


class Running(nn.Module):
    """right"""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        with torch.no_grad():
            self.mean.mul_(0.9).add_(torch.ones(4))
        return {"out": self.layer(x - self.mean), "kept": [self.mean]}


class Detached(nn.Module):
    """surrogate: not the derivative of forward: deliberate? forward cuts its graph by detach"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        y = self.layer(x)
        return y + (y.tanh() - y).detach()


class Hooked(nn.Module):
    """surrogate: not the derivative of forward: deliberate? forward cuts its graph by register_hook"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        y = self.layer(x)
        y.register_hook(lambda g: 0.1 * g)
        return y


class Recurrent(nn.Module):
    """right"""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(4, 6, batch_first=True)
        self.head = nn.Linear(6, 3)

    def forward(self, x, hidden=None):
        out, hidden = self.cell(x, hidden)
        return torch.distributions.Categorical(logits=self.head(out)), hidden


class Stateful(nn.Module):
    """untested: forward gives another result the second time"""

    def __init__(self):
        super().__init__()
        self.layer, self.calls = nn.Linear(4, 2), 0

    def forward(self, x):
        self.calls += 1
        return self.layer(x) * self.calls


class Square(Function):
    """wrong"""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.data.mul_(2)


class Overwritten(nn.Module):
    """untested: it applies Square, whose backward changes a tensor in place"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        z = self.layer(x)
        y = z.sin()
        return Square.apply(z) + y


class Forget(Function):
    """right"""

    @staticmethod
    def forward(ctx, x, alive):
        ctx.save_for_backward(alive)
        return x * alive

    @staticmethod
    def backward(ctx, g):
        (alive,) = ctx.saved_tensors
        return g * alive, None


class Masked(nn.Module):
    """right"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x, alive):
        return Forget.apply(self.layer(x), alive)


if __name__ == "__main__":
    normed, running, detached, hooked, recurrent, stateful = Normed(), Running(), Detached(), Hooked(), Recurrent(), Stateful()
    x = torch.randn(6, 4)
    normed(x).sum().backward()
    running(x)["out"].sum().backward()
    detached(x).sum().backward()
    hooked(x).sum().backward()
    recurrent(x.view(2, 3, 4))[0].entropy().sum().backward()
    stateful(x).sum().backward()
    overwritten = Overwritten()
    overwritten(x).sum().backward()
    masked = Masked()
    masked(x, torch.ones(6, 1)).sum().backward()
