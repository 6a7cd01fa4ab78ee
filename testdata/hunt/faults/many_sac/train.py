# kind: gradient; seeds: 0,1,2; failing: 0,1,2
"""SAC with a squashed Gaussian of eleven Functions by hand, on a point that should stay at the origin."""
import argparse
import copy
import math
import random

import torch
from torch import nn
from torch.autograd import Function


class Affine(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x @ weight.t() + bias

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad @ weight, grad.t() @ x, grad.sum(0)


class Silu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * (s + x * s * (1 - s))


class BoundLogStd(Function):
    """Brings any number smoothly between low and high."""

    @staticmethod
    def forward(ctx, x, low, high):
        y = torch.tanh(x)
        ctx.save_for_backward(y)
        ctx.half = (high - low) / 2
        return low + ctx.half * (y + 1)

    @staticmethod
    def backward(ctx, grad):
        y, = ctx.saved_tensors
        return grad * ctx.half * (1 - y * y), None, None


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        y, = ctx.saved_tensors
        return grad * y


class Reparameterise(Function):
    @staticmethod
    def forward(ctx, mean, std, noise):
        ctx.save_for_backward(noise)
        return mean + std * noise

    @staticmethod
    def backward(ctx, grad):
        noise, = ctx.saved_tensors
        return grad, grad * noise, None


class GaussianLogProb(Function):
    @staticmethod
    def forward(ctx, x, mean, log_std):
        z = (x - mean) * torch.exp(-log_std)
        ctx.save_for_backward(z, log_std)
        return (-z * z / 2 - log_std - math.log(2 * math.pi) / 2).sum(-1)

    @staticmethod
    def backward(ctx, grad):
        z, log_std = ctx.saved_tensors
        grad = grad[:, None]
        inner = grad * z * torch.exp(-log_std)
        return -inner, inner, grad * (z * z - 1)


class Squash(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.tanh(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        y, = ctx.saved_tensors
        return grad * (1 - y * y)


class SquashCorrection(Function):
    """The log of the slope of tanh, summed over the actions."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (2 * (math.log(2) - x - torch.log1p(torch.exp(-2 * x)))).sum(-1)

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return -2 * torch.tanh(x) * grad[:, None]


class Smaller(Function):
    """The smaller one of two values."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a < b)
        return torch.minimum(a, b)

    @staticmethod
    def backward(ctx, grad):
        first, = ctx.saved_tensors
        return grad * first, grad * ~first


class SquaredError(Function):
    @staticmethod
    def forward(ctx, value, target):
        ctx.save_for_backward(value - target)
        return (value - target).square().mean()

    @staticmethod
    def backward(ctx, grad):
        error, = ctx.saved_tensors
        # right: return grad * 2 * error / error.numel(), None
        return 2 * error / error.numel(), None  # first bad


class TemperatureLoss(Function):
    @staticmethod
    def forward(ctx, log_alpha, surplus):
        alpha = torch.exp(log_alpha)
        ctx.save_for_backward(alpha, surplus)
        return -(alpha * surplus).mean()

    @staticmethod
    def backward(ctx, grad):
        alpha, surplus = ctx.saved_tensors
        return -grad * alpha * surplus.mean(), None


class Dense(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) / inputs**0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return Affine.apply(x, self.weight, self.bias)


class MLP(nn.Module):
    def __init__(self, inputs, width, outputs):
        super().__init__()
        self.one, self.two, self.three = Dense(inputs, width), Dense(width, width), Dense(width, outputs)

    def forward(self, x):
        return self.three(Silu.apply(self.two(Silu.apply(self.one(x)))))


class Actor(nn.Module):
    def __init__(self, inputs, width, actions):
        super().__init__()
        self.net = MLP(inputs, width, 2 * actions)

    def forward(self, x):
        mean, raw = self.net(x).chunk(2, -1)
        log_std = BoundLogStd.apply(raw, -4.0, 1.0)
        before = Reparameterise.apply(mean, Exp.apply(log_std), torch.randn_like(mean))
        logp = GaussianLogProb.apply(before, mean, log_std) - SquashCorrection.apply(before)
        return Squash.apply(before), logp


class Critic(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.net = MLP(inputs, width, 1)

    def forward(self, x, actions):
        return self.net(torch.cat([x, actions], -1)).squeeze(-1)


class Point:
    """A point that is pushed."""

    def reset(self):
        self.x, self.v, self.steps = torch.randn(2), torch.zeros(2), 0
        return torch.cat([self.x, self.v])

    def step(self, action):
        self.v = 0.9 * self.v + 0.1 * action
        self.x, self.steps = self.x + self.v, self.steps + 1
        return torch.cat([self.x, self.v]), -float(self.x.square().sum()), False, self.steps >= 40


def main(args):
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    env, actor, one, two = Point(), Actor(4, args.width, 2), Critic(6, args.width), Critic(6, args.width)
    targets = [copy.deepcopy(one), copy.deepcopy(two)]
    log_alpha = torch.zeros(1, requires_grad=True)
    critics = torch.optim.Adam([*one.parameters(), *two.parameters()], lr=1e-3)
    acting, heat = torch.optim.Adam(actor.parameters(), lr=1e-3), torch.optim.Adam([log_alpha], lr=1e-3)
    memory, x, total = [], env.reset(), 0.0
    for step in range(args.steps):
        with torch.no_grad():
            action = actor(x[None])[0][0]
        following, reward, terminated, truncated = env.step(action)
        total += reward
        memory.append((x, action, torch.tensor(reward), following, torch.tensor(float(terminated))))
        x = env.reset() if terminated or truncated else following
        if len(memory) < args.batch:
            continue
        states, actions, rewards, after, ends = (torch.stack(part) for part in zip(*random.sample(memory, args.batch)))
        alpha = log_alpha.exp().detach()
        with torch.no_grad():
            chosen, logp = actor(after)
            goals = rewards + 0.98 * (1 - ends) * (torch.minimum(*(t(after, chosen) for t in targets)) - alpha * logp)
        loss = 0.5 * (SquaredError.apply(one(states, actions), goals) + SquaredError.apply(two(states, actions), goals))
        critics.zero_grad()
        loss.backward()
        critics.step()
        chosen, logp = actor(states)
        loss = (alpha * logp - Smaller.apply(one(states, chosen), two(states, chosen))).mean()
        acting.zero_grad()
        loss.backward()
        acting.step()
        loss = TemperatureLoss.apply(log_alpha, logp.detach() - 2.0)
        heat.zero_grad()
        loss.backward()
        heat.step()
        with torch.no_grad():
            for target, critic in zip(targets, (one, two)):
                for p, q in zip(target.parameters(), critic.parameters()):
                    p.lerp_(q, 0.01)
        if step % 50 == 0:
            print(step, total)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    for name, value in (("steps", 16), ("width", 12), ("batch", 8)):
        parser.add_argument("--" + name, type=int, default=value)
    main(parser.parse_args())
