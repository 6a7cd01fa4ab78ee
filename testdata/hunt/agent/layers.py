"""The layers of the network."""

import math

import torch
from torch import nn
from torch.nn import functional as F

import functions


class Linear(nn.Module):
    """A linear map with orthogonal weights of a gain."""

    def __init__(self, inputs, outputs, gain=1.0, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs)) if bias else None
        nn.init.orthogonal_(self.weight, gain)

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)


class RMSNorm(nn.Module):
    """Divides by the root mean square, and scales each feature."""

    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.gain, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return functions.rms_norm(x, self.eps) * self.gain


class SquaredReLU(nn.Module):
    def forward(self, x):
        return functions.squared_relu(x)


class SoftClamp(nn.Module):
    """Keeps values within a limit, smoothly."""

    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        return functions.soft_clamp(x, self.limit)


class Gate(nn.Module):
    """Lets through a share of each feature, which a linear map of the context decides.

    A low temperature makes the gate decide sharply.
    """

    def __init__(self, width, features, temperature=1.0):
        super().__init__()
        self.decide, self.temperature = Linear(width, features, 0.1), temperature

    def forward(self, x, context):
        return functions.gate(x, self.decide(context) / self.temperature)


class LayerScale(nn.Module):
    """A learnt factor a feature, small at first: deep networks begin as shallow ones."""

    def __init__(self, width, initial=0.3):
        super().__init__()
        self.factor = nn.Parameter(torch.full((width,), initial))

    def forward(self, x):
        return x * self.factor


class FourierFeatures(nn.Module):
    """Sines and cosines of a vector at frequencies of powers of two."""

    def __init__(self, inputs, frequencies):
        super().__init__()
        self.register_buffer("scales", math.pi * 2.0 ** torch.arange(-1, frequencies - 1))
        self.outputs = inputs * (1 + 2 * frequencies)

    def forward(self, x):
        angles = (x[..., None] * self.scales).flatten(-2)
        return torch.cat([x, torch.sin(angles), torch.cos(angles)], -1)


class FeedForward(nn.Module):
    """Two linear maps with a squared rectifier in between."""

    def __init__(self, width, factor=2):
        super().__init__()
        self.up, self.down = Linear(width, factor * width, math.sqrt(2)), Linear(factor * width, width)
        self.unit = SquaredReLU()

    def forward(self, x):
        return self.down(self.unit(self.up(x)))


class GatedBlock(nn.Module):
    """Norm, feed forward and a gate, around which the input is added."""

    def __init__(self, width, temperature):
        super().__init__()
        self.norm = RMSNorm(width)
        self.body = FeedForward(width)
        self.gate = Gate(width, width, temperature)
        self.scale = LayerScale(width)

    def forward(self, x):
        h = self.norm(x)
        return x + self.scale(self.gate(self.body(h), h))


class CrossAttention(nn.Module):
    """One query, the agent's own, over the things around it."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query = Linear(width, width, bias=False)
        self.key, self.value = Linear(width, width, bias=False), Linear(width, width, bias=False)
        self.out = Linear(width, width)

    def forward(self, body, things, present):
        """Returns what is attended to [N, W], for bodies [N, W], things [N, K, W] and which of them there are [N, K]."""
        q = self._split(self.query(body)[:, None])
        k, v = self._split(self.key(things)), self._split(self.value(things))
        scores = (q * k).sum(-1).transpose(1, 2) / math.sqrt(self.size)
        weights = functions.masked_softmax(scores, present[:, None, :])
        heads = torch.einsum("nhk,nkhs->nhs", weights, v)
        return self.out(heads.flatten(1))

    def _split(self, x):
        return x.unflatten(-1, (self.heads, self.size))


class SetPool(nn.Module):
    """Mean and maximum over the things there are; zeros where there is none."""

    def __init__(self, width):
        super().__init__()
        self.mix = Linear(2 * width, width)

    def forward(self, things, present):
        shown = present[..., None]
        count = shown.sum(1).clamp(min=1)
        mean = (things * shown).sum(1) / count
        largest = things.masked_fill(~shown, -math.inf).amax(1)
        largest = torch.where(present.any(1, keepdim=True), largest, torch.zeros_like(largest))
        return self.mix(torch.cat([mean, largest], -1))


class Entity(nn.Module):
    """Embeds each thing by itself."""

    def __init__(self, inputs, width):
        super().__init__()
        self.embed, self.norm = Linear(inputs, width, math.sqrt(2)), RMSNorm(width)

    def forward(self, things):
        return torch.tanh(self.norm(self.embed(things)))


class CategoricalHead(nn.Module):
    """Logits of the actions, within a limit that keeps every action possible."""

    def __init__(self, width, actions, limit=8.0):
        super().__init__()
        self.linear, self.clamp = Linear(width, actions, 0.01), SoftClamp(limit)

    def forward(self, x):
        return self.clamp(self.linear(x))


class ValueHead(nn.Module):
    """A number between two bounds: a gate says how much of the way from the lower to the upper.

    A scaled gradient keeps it from drowning the policy's in what they share.
    """

    def __init__(self, width, low, high, temperature, share=0.5):
        super().__init__()
        self.hidden, self.bound = Linear(width, width, math.sqrt(2)), Gate(width, 1, temperature)
        self.low, self.high, self.share = low, high, share

    def forward(self, x):
        h = torch.tanh(self.hidden(functions.scale_gradient(x, self.share)))
        span = torch.full_like(h[..., :1], self.high - self.low)
        return self.low + self.bound(span, h).squeeze(-1)
