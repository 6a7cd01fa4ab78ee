"""The network: an encoder of what is seen, a trunk, and two heads."""

import torch
from torch import nn

from distributions import Categorical
from layers import (
    CategoricalHead,
    CrossAttention,
    Entity,
    FourierFeatures,
    GatedBlock,
    Linear,
    RMSNorm,
    SetPool,
    ValueHead,
)


class Encoder(nn.Module):
    """Observation to features [N, W]."""

    def __init__(self, body, things, config):
        super().__init__()
        width = config.width
        self.fourier = FourierFeatures(body.size, config.frequencies)
        self.body = Linear(self.fourier.outputs, width)
        self.entity = Entity(things.size, width)
        self.attention = CrossAttention(width, config.heads)
        self.pool = SetPool(width)
        self.norm = RMSNorm(width)

    def forward(self, observation):
        body = torch.tanh(self.body(self.fourier(observation.body)))
        things = self.entity(observation.things)
        seen = self.attention(body, things, observation.present)
        around = self.pool(things, observation.present)
        return self.norm(body + seen + around)


class Trunk(nn.Module):
    """Blocks one after the other."""

    def __init__(self, config):
        super().__init__()
        self.blocks = nn.ModuleList(GatedBlock(config.width, config.gate_temperature) for _ in range(config.blocks))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class ActorCritic(nn.Module):
    """Policy and value over one encoder; the value has a trunk of its own."""

    def __init__(self, env, config):
        super().__init__()
        self.encoder = Encoder(env.body_space, env.thing_space, config)
        self.policy_trunk, self.value_trunk = Trunk(config), Trunk(config)
        self.policy_head = CategoricalHead(config.width, env.action_space.n)
        self.value_head = ValueHead(config.width, config.value_low, config.value_high, config.value_temperature)

    def forward(self, observation):
        """Returns the distribution of actions and the values [N]."""
        features = self.encoder(observation)
        logits = self.policy_head(self.policy_trunk(features))
        return Categorical(logits), self.value_head(self.value_trunk(features))

    def value(self, observation):
        return self.value_head(self.value_trunk(self.encoder(observation)))

    @torch.no_grad()
    def act(self, observation, greedy=False):
        """Returns actions, their log-probabilities and the values, without gradient."""
        dist, value = self(observation)
        actions = dist.mode() if greedy else dist.sample()
        return actions, dist.log_prob(actions), value


def count_parameters(model):
    return sum(p.numel() for p in model.parameters())


def summary(model):
    """Returns a line for each child with its number of parameters."""
    lines = []
    for name, child in model.named_children():
        lines.append("%-14s %7d" % (name, count_parameters(child)))
    lines.append("%-14s %7d" % ("together", count_parameters(model)))
    return "\n".join(lines)
