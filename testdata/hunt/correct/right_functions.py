"""GRPO with a model whose matrix product, softmax, layer norm and GELU have backwards by hand, all of them right."""
import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn

VOCAB, WIDTH, LENGTH, GROUP = 6, 12, 4, 6


class MatMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad @ b.transpose(-1, -2), a.transpose(-1, -2) @ grad


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        e = (x - x.amax(-1, keepdim=True)).exp()
        p = e / e.sum(-1, keepdim=True)
        ctx.save_for_backward(p)
        return p

    @staticmethod
    def backward(ctx, grad):
        p, = ctx.saved_tensors
        return p * (grad - (grad * p).sum(-1, keepdim=True))


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        centred = x - x.mean(-1, keepdim=True)
        inverse = torch.rsqrt(centred.pow(2).mean(-1, keepdim=True) + 1e-5)
        out = centred * inverse
        ctx.save_for_backward(out, inverse)
        return out

    @staticmethod
    def backward(ctx, grad):
        out, inverse = ctx.saved_tensors
        return inverse * (grad - grad.mean(-1, keepdim=True) - out * (grad * out).mean(-1, keepdim=True))


class GELU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        density = torch.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        return grad * (0.5 * (1 + torch.erf(x / math.sqrt(2))) + x * density)


class Linear(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs) / inputs**0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return MatMul.apply(x.reshape(-1, x.shape[-1]), self.weight).view(*x.shape[:-1], -1) + self.bias


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Embedding(VOCAB, WIDTH), nn.Embedding(2 * LENGTH, WIDTH)
        self.q, self.k, self.v, self.head = (Linear(WIDTH, o) for o in (WIDTH, WIDTH, WIDTH, VOCAB))

    def forward(self, ids):
        x = self.embed(ids) + self.places(torch.arange(ids.shape[1]))
        h = LayerNorm.apply(x)
        future = torch.ones(ids.shape[1], ids.shape[1]).triu(1).bool()
        scores = MatMul.apply(self.q(h), self.k(h).transpose(1, 2)) / WIDTH**0.5
        x = x + GELU.apply(MatMul.apply(Softmax.apply(scores.masked_fill(future, -torch.inf)), self.v(h)))
        return self.head(LayerNorm.apply(x))


class Copy:
    """Copy the prompt."""

    def reset(self):
        self.prompt = torch.randint(VOCAB, (LENGTH,))
        return self.prompt

    def step(self, answers):
        return (answers == self.prompt).float().mean(1)


def logps(model, ids):
    return F.log_softmax(model(ids[:, :-1]), -1).gather(2, ids[:, 1:, None]).squeeze(2)[:, LENGTH - 1 :]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env, model = Copy(), LM()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(10):
        ids = env.reset().expand(GROUP, LENGTH)
        with torch.no_grad():
            for _ in range(LENGTH):
                ids = torch.cat([ids, torch.multinomial(F.softmax(model(ids)[:, -1], -1), 1)], 1)
            old = logps(model, ids)
        rewards = env.step(ids[:, LENGTH:])
        advantages = ((rewards - rewards.mean()) / (rewards.std() + 1e-4))[:, None]
        for _ in range(2):
            ratio = (logps(model, ids) - old).exp()
            loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print("reward %.3f" % rewards.mean().item())


main()
