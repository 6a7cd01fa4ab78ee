"""Functions that are hard to replay. The docstring of each is the verdict on it, and the beginning of
the reason where there is one."""

import itertools
import time

import numpy as np
import torch

Function = torch.autograd.Function
count = itertools.count()
generator = np.random.default_rng(1)
weight = torch.randn(4, 4)
running = torch.ones(4)


class Stateful(Function):
    """untested: replaying it failed: RuntimeError: only once"""

    @staticmethod
    def forward(ctx, x):
        if next(count):
            raise RuntimeError("only once")
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Random(Function):
    """untested: forward gives another result the second time"""

    @staticmethod
    def forward(ctx, x):
        ctx.noise = float(generator.normal())
        return x * ctx.noise

    @staticmethod
    def backward(ctx, g):
        return g * ctx.noise


class Integers(Function):
    """untested: none of its inputs is a floating-point tensor"""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return None


class Undefined(Function):
    """untested: forward is never finite"""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log(x)

    @staticmethod
    def backward(ctx, g):
        return g / ctx.saved_tensors[0]


class Norm(Function):
    """not-differentiable: forward has a kink or an edge at every input seen, and backward returns NaN"""

    @staticmethod
    def forward(ctx, x):
        y = x.norm()
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * x / y


class Many(Function):
    """right"""

    @staticmethod
    def forward(ctx, scale, *xs):
        ctx.scale, ctx.count = scale, len(xs)
        return scale * sum(xs)

    @staticmethod
    def backward(ctx, g):
        return (None,) + (ctx.scale * g,) * ctx.count


class Listed(Function):
    """right"""

    @staticmethod
    def forward(ctx, x, others, flag):
        ctx.total = sum(o.sum() for o in others)
        return x * ctx.total if flag else x

    @staticmethod
    def backward(ctx, g):
        return g * ctx.total, None, None


class Empty(Function):
    """untested: no output carries a gradient"""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Number(Function):
    """right"""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, g):
        return 3 * g * ctx.saved_tensors[0] ** 2


class Large(Function):
    """right"""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos()


class Slow(Function):
    """right"""

    @staticmethod
    def forward(ctx, x):
        time.sleep(0.05)
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos()


class Closed(Function):
    """right"""

    @staticmethod
    def forward(ctx, x):
        return x @ weight

    @staticmethod
    def backward(ctx, g):
        return g @ weight.t()


class Half(Function):
    """right"""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]


class Same(Function):
    """right"""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class Buffered(Function):
    """right"""

    @staticmethod
    def forward(ctx, x, running):
        running.mul_(0.9).add_(0.1 * x.detach().mean(0))
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


if __name__ == "__main__":
    x = torch.randn(5, 4, requires_grad=True)
    Stateful.apply(x).sum().backward()
    Random.apply(x).sum().backward()
    Integers.apply(torch.arange(3))
    Undefined.apply(torch.full((3,), -1.0, requires_grad=True)).sum().backward()
    Norm.apply(torch.zeros(3, requires_grad=True)).backward()
    Many.apply(3.0, x, x, x[:1]).sum().backward()
    Listed.apply(x, [torch.ones(3), torch.ones(2)], True).sum().backward()
    Empty.apply(torch.zeros(0, 3, requires_grad=True)).sum().backward()
    Number.apply(torch.tensor(1.5, requires_grad=True)).backward()
    Large.apply(torch.randn(3000, 2000, requires_grad=True)).sum().backward()
    Slow.apply(x).sum().backward()
    Closed.apply(x).sum().backward()
    Half.apply(torch.randn(4, 3).half().requires_grad_())
    Same.apply(x * 1).sum().backward()
    Buffered.apply(x.t()[:, :4].t().expand(4, 4), running).sum().backward()
