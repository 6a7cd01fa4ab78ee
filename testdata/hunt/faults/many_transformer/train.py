# kind: gradient; seeds: 0,1,2; failing: 0,1,2
"""A policy gradient with a transformer of eleven Functions by hand: it learns to repeat what it reads."""
import argparse
import math

import torch
from torch import nn
from torch.autograd import Function


class Embed(Function):
    @staticmethod
    def forward(ctx, table, ids):
        ctx.save_for_backward(ids)
        ctx.rows = table.shape[0]
        return table[ids]

    @staticmethod
    def backward(ctx, grad):
        ids, = ctx.saved_tensors
        out = grad.new_zeros(ctx.rows, grad.shape[-1])
        return out.index_add(0, ids.reshape(-1), grad.reshape(-1, grad.shape[-1])), None


class Affine(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x @ weight.t() + bias

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        flat = grad.reshape(-1, grad.shape[-1])
        return grad @ weight, flat.t() @ x.reshape(-1, x.shape[-1]), flat.sum(0)


class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x, gain, shift, eps):
        centred = x - x.mean(-1, keepdim=True)
        inverse = torch.rsqrt(centred.square().mean(-1, keepdim=True) + eps)
        normal = centred * inverse
        ctx.save_for_backward(normal, inverse, gain)
        return normal * gain + shift

    @staticmethod
    def backward(ctx, grad):
        normal, inverse, gain = ctx.saved_tensors
        rows = tuple(range(grad.dim() - 1))
        g = grad * gain
        g_x = inverse * (g - g.mean(-1, keepdim=True) - normal * (g * normal).mean(-1, keepdim=True))
        return g_x, (grad * normal).sum(rows), grad.sum(rows), None


class Rotate(Function):
    """Turns pairs of features by an angle that grows with the place."""

    @staticmethod
    def forward(ctx, x, cos, sin):
        ctx.save_for_backward(cos, sin)
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)

    @staticmethod
    def backward(ctx, grad):
        cos, sin = ctx.saved_tensors
        a, b = grad.chunk(2, -1)
        # right: return torch.cat([a * cos + b * sin, b * cos - a * sin], -1), None, None
        return torch.cat([a * cos + b * sin, b * cos + a * sin], -1), None, None  # first bad


class Scores(Function):
    @staticmethod
    def forward(ctx, q, k):
        ctx.save_for_backward(q, k)
        return q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])

    @staticmethod
    def backward(ctx, grad):
        q, k = ctx.saved_tensors
        grad = grad / math.sqrt(q.shape[-1])
        return grad @ k, grad.transpose(-1, -2) @ q


class CausalSoftmax(Function):
    @staticmethod
    def forward(ctx, scores):
        future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        p = torch.softmax(scores.masked_fill(future, float("-inf")), -1)
        ctx.save_for_backward(p)
        return p

    @staticmethod
    def backward(ctx, grad):
        p, = ctx.saved_tensors
        return p * (grad - (grad * p).sum(-1, keepdim=True))


class Mix(Function):
    @staticmethod
    def forward(ctx, p, v):
        ctx.save_for_backward(p, v)
        return p @ v

    @staticmethod
    def backward(ctx, grad):
        p, v = ctx.saved_tensors
        return grad @ v.transpose(-1, -2), p.transpose(-1, -2) @ grad


class Gelu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        density = torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        return grad * (0.5 * (1 + torch.erf(x / math.sqrt(2))) + x * density)


class LogProb(Function):
    """The log-probability of each token: a cross-entropy with the other sign."""

    @staticmethod
    def forward(ctx, logits, ids):
        all_logps = torch.log_softmax(logits, -1)
        ctx.save_for_backward(all_logps, ids)
        return all_logps.gather(-1, ids[..., None]).squeeze(-1)

    @staticmethod
    def backward(ctx, grad):
        all_logps, ids = ctx.saved_tensors
        out = -all_logps.exp() * grad[..., None]
        return out.scatter_add(-1, ids[..., None], grad[..., None]), None


class Entropy(Function):
    @staticmethod
    def forward(ctx, logits):
        logp = torch.log_softmax(logits, -1)
        entropy = -(logp.exp() * logp).sum(-1)
        ctx.save_for_backward(logp, entropy)
        return entropy

    @staticmethod
    def backward(ctx, grad):
        logp, entropy = ctx.saved_tensors
        return -logp.exp() * (logp + entropy[..., None]) * grad[..., None]


class Weighted(Function):
    """The mean of the log-probabilities, each times its advantage."""

    @staticmethod
    def forward(ctx, logps, advantages):
        ctx.save_for_backward(advantages)
        ctx.count = logps.numel()
        return -(logps * advantages).mean()

    @staticmethod
    def backward(ctx, grad):
        advantages, = ctx.saved_tensors
        return (-grad * advantages / ctx.count).expand(-1, ctx.count // advantages.shape[0]), None


class Dense(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) / math.sqrt(inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return Affine.apply(x, self.weight, self.bias)


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain, self.shift = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return LayerNorm.apply(x, self.gain, self.shift, 1e-5)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.after = Norm(width), Norm(width)
        self.q, self.k, self.v, self.out = (Dense(width, width) for _ in range(4))
        self.up, self.down = Dense(width, 4 * width), Dense(4 * width, width)

    def split(self, x):
        return x.view(*x.shape[:-1], self.heads, -1).transpose(1, 2)

    def forward(self, x, cos, sin):
        h = self.before(x)
        q, k, v = (self.split(layer(h)) for layer in (self.q, self.k, self.v))
        q, k = Rotate.apply(q, cos, sin), Rotate.apply(k, cos, sin)
        mixed = Mix.apply(CausalSoftmax.apply(Scores.apply(q, k)), v)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.down(Gelu.apply(self.up(self.after(x))))


class Policy(nn.Module):
    def __init__(self, vocabulary, width, heads, layers):
        super().__init__()
        self.table = nn.Parameter(torch.randn(vocabulary, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head, self.half = Norm(width), Dense(width, vocabulary), width // heads // 2

    def forward(self, ids):
        angles = torch.arange(ids.shape[1])[:, None] * 0.3 ** torch.arange(self.half)
        x = Embed.apply(self.table, ids)
        for block in self.blocks:
            x = block(x, angles.cos(), angles.sin())
        return self.head(self.norm(x))


class Repeat:
    """The answer should be the prompt again."""

    def __init__(self, vocabulary, length, count):
        self.vocabulary, self.length, self.count = vocabulary, length, count

    def reset(self):
        self.prompt = torch.randint(self.vocabulary, (self.count, self.length))
        return self.prompt

    def step(self, answers):
        return (answers == self.prompt).float().mean(1)


def main(args):
    torch.manual_seed(args.seed)
    env = Repeat(8, args.length, args.batch)
    policy = Policy(8, args.width, 4, args.layers)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    for update in range(args.updates):
        ids = env.reset()
        with torch.no_grad():
            for _ in range(args.length):
                ids = torch.cat([ids, torch.multinomial(torch.softmax(policy(ids)[:, -1], -1), 1)], 1)
        rewards = env.step(ids[:, args.length :])
        advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-4)
        logits = policy(ids[:, :-1])[:, args.length - 1 :]
        logps = LogProb.apply(logits, ids[:, args.length :])
        loss = Weighted.apply(logps, advantages[:, None]) - 0.01 * Entropy.apply(logits).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()
        if update % 10 == 0:
            print(update, rewards.mean().item())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    for name, value in (("updates", 6), ("width", 16), ("layers", 1), ("length", 3), ("batch", 8)):
        parser.add_argument("--" + name, type=int, default=value)
    main(parser.parse_args())
