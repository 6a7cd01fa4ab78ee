"""Autograd Functions, hooks and recursions through them."""
import torch


class Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, *rest):
        ctx.saved, ctx.again = ctx, Again
        ctx.save_for_backward(x, ctx, Again.apply(x))
        return Again.forward(ctx, Again.apply(x), *ctx.saved_tensors)

    @staticmethod
    def backward(ctx, g):
        (x, c, y) = ctx.saved_tensors
        c.save_for_backward(*c.saved_tensors)
        return Again.backward(ctx, Again.backward(c, g)), Again.apply(g)


class Other(Again):
    forward = Again.apply
    backward = staticmethod(lambda ctx, g: Other.backward(ctx, Other.apply(g)))


def even(x, then):
    return odd(then(x), even) if x else Again.apply(x)


def odd(x, then):
    return even(then(x), odd) if x else Other.apply(even(x, odd))


even(odd(1, even), lambda x: even(x, odd))
torch.utils.checkpoint.checkpoint(torch.utils.checkpoint.checkpoint, torch.utils.checkpoint.checkpoint)
step = torch.compile(even)
for _ in range(3):
    step = torch.jit.script(torch.vmap(step))
    step.step = step.forward = step
    step(step.step(step.forward), step)


def advantages(rewards):
    r = torch.tensor(rewards)
    return (r - r.mean()) / r.std()  # bug: ADV009


print(advantages([1.0, 0.0, 2.0]))
