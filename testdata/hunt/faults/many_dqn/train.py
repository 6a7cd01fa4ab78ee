# kind: gradient; seeds: 0,1,2; failing: 0,1,2
"""DQN with a convolutional dueling network of nine Functions by hand, on a grid with one goal."""
import argparse
import copy
import random

import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import Function


class Conv(Function):
    """A convolution of 3 x 3 by unfolding."""

    @staticmethod
    def forward(ctx, x, weight):
        patches = F.unfold(x, 3, padding=1)
        ctx.save_for_backward(patches, weight)
        ctx.size = x.shape[-2:]
        return (weight @ patches).view(x.shape[0], -1, *ctx.size)

    @staticmethod
    def backward(ctx, grad):
        patches, weight = ctx.saved_tensors
        flat = grad.flatten(2)
        return F.fold(weight.t() @ flat, ctx.size, 3, padding=1), (flat @ patches.transpose(1, 2)).sum(0)


class ChannelBias(Function):
    @staticmethod
    def forward(ctx, x, bias):
        return x + bias[:, None, None]

    @staticmethod
    def backward(ctx, grad):
        return grad, grad.sum((0, 2, 3))


class Relu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * (x > 0)


class MaxPool(Function):
    @staticmethod
    def forward(ctx, x):
        out, places = F.max_pool2d(x, 2, return_indices=True)
        ctx.save_for_backward(places)
        ctx.shape = x.shape
        return out

    @staticmethod
    def backward(ctx, grad):
        places, = ctx.saved_tensors
        out = grad.new_zeros(*ctx.shape[:2], ctx.shape[2] * ctx.shape[3])
        return out.scatter(2, places.flatten(2), grad.flatten(2)).view(ctx.shape)


class Affine(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x @ weight.t() + bias

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad @ weight, grad.t() @ x, grad.sum(0)


class Dueling(Function):
    """The value, and the advantages less their mean."""

    @staticmethod
    def forward(ctx, value, advantages):
        return value + advantages - advantages.mean(1, keepdim=True)

    @staticmethod
    def backward(ctx, grad):
        # right: return grad.sum(1, keepdim=True), grad - grad.mean(1, keepdim=True)
        return grad.sum(1, keepdim=True), grad  # first bad


class Chosen(Function):
    @staticmethod
    def forward(ctx, q, actions):
        ctx.save_for_backward(actions)
        ctx.shape = q.shape
        return q.gather(1, actions[:, None]).squeeze(1)

    @staticmethod
    def backward(ctx, grad):
        actions, = ctx.saved_tensors
        return grad.new_zeros(ctx.shape).scatter(1, actions[:, None], grad[:, None]), None


class Huber(Function):
    @staticmethod
    def forward(ctx, q, target):
        error = q - target
        ctx.save_for_backward(error)
        return torch.where(error.abs() < 1, error.square() / 2, error.abs() - 0.5)

    @staticmethod
    def backward(ctx, grad):
        error, = ctx.saved_tensors
        return grad * error.clamp(-1, 1), None


class WeightedMean(Function):
    """A mean with the weights of prioritised replay."""

    @staticmethod
    def forward(ctx, losses, weights):
        ctx.save_for_backward(weights)
        return (losses * weights).mean()

    @staticmethod
    def backward(ctx, grad):
        weights, = ctx.saved_tensors
        return grad * weights / weights.numel(), None


class Dense(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) / inputs**0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return Affine.apply(x, self.weight, self.bias)


class Filters(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, 9 * inputs) / (9 * inputs) ** 0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return MaxPool.apply(Relu.apply(ChannelBias.apply(Conv.apply(x, self.weight), self.bias)))


class QNetwork(nn.Module):
    def __init__(self, size, width, actions):
        super().__init__()
        self.one, self.two = Filters(2, width), Filters(width, width)
        self.body = Dense(width * (size // 4) ** 2, 4 * width)
        self.value, self.advantages = Dense(4 * width, 1), Dense(4 * width, actions)

    def forward(self, x):
        h = Relu.apply(self.body(self.two(self.one(x)).flatten(1)))
        return Dueling.apply(self.value(h), self.advantages(h))


class Grid:
    """Walk to the goal; a step off the grid does nothing."""

    moves = ((0, 1), (0, -1), (1, 0), (-1, 0))

    def __init__(self, size):
        self.size = size

    def reset(self):
        self.at, self.goal, self.steps = [random.randrange(self.size) for _ in range(2)], [random.randrange(self.size) for _ in range(2)], 0
        return self.seen()

    def seen(self):
        x = torch.zeros(2, self.size, self.size)
        x[0, self.at[0], self.at[1]] = x[1, self.goal[0], self.goal[1]] = 1
        return x

    def step(self, action):
        self.steps += 1
        self.at = [min(self.size - 1, max(0, a + m)) for a, m in zip(self.at, self.moves[action])]
        done = self.at == self.goal
        return self.seen(), float(done) - 0.02, done, self.steps >= 20


def main(args):
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    env, q = Grid(args.size), QNetwork(args.size, args.width, 4)
    target = copy.deepcopy(q)
    optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
    memory, x, total = [], env.reset(), 0.0
    for step in range(args.steps):
        with torch.no_grad():
            action = random.randrange(4) if random.random() < 0.2 else int(q(x[None]).argmax())
        following, reward, terminated, truncated = env.step(action)
        total += reward
        memory.append((x, action, reward, following, float(terminated)))
        x = env.reset() if terminated or truncated else following
        if len(memory) < args.batch:
            continue
        batch = random.sample(memory, args.batch)
        states, after = torch.stack([b[0] for b in batch]), torch.stack([b[3] for b in batch])
        actions = torch.tensor([b[1] for b in batch])
        rewards, ends = torch.tensor([b[2] for b in batch]), torch.tensor([b[4] for b in batch])
        with torch.no_grad():
            goals = rewards + 0.95 * (1 - ends) * target(after).amax(1)
        losses = Huber.apply(Chosen.apply(q(states), actions), goals)
        loss = WeightedMean.apply(losses, torch.linspace(0.5, 1.5, args.batch))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(q.parameters(), 10.0)
        optimizer.step()
        if step % 50 == 0:
            target.load_state_dict(q.state_dict())
            print(step, total)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    for name, value in (("steps", 16), ("size", 4), ("width", 3), ("batch", 8)):
        parser.add_argument("--" + name, type=int, default=value)
    main(parser.parse_args())
