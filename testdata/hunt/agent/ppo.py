"""Proximal policy optimisation."""

import dataclasses

import torch
from torch import nn

from metrics import Means, explained_variance
from rollout import minibatches
from schedules import linear


@dataclasses.dataclass
class Losses:
    """The terms of one minibatch."""

    policy: torch.Tensor
    value: torch.Tensor
    entropy: torch.Tensor
    kl: torch.Tensor
    clipped: torch.Tensor

    def total(self, value_coef, entropy_coef):
        return self.policy + value_coef * self.value - entropy_coef * self.entropy


def standardised(x, eps=1e-8):
    return (x - x.mean()) / (x.std() + eps)


def policy_loss(logp, old, advantages, clip):
    """Returns the clipped surrogate, an estimate of the divergence, and the share that was clipped."""
    log_ratio = logp - old
    ratio = log_ratio.exp()
    unclipped = ratio * advantages
    clipped = ratio.clamp(1 - clip, 1 + clip) * advantages
    with torch.no_grad():
        kl = (ratio - 1 - log_ratio).mean()
        share = ((ratio - 1).abs() > clip).float().mean()
    return -torch.min(unclipped, clipped).mean(), kl, share


def value_loss(values, old, returns, clip):
    """Mean squared error; with a clip, the larger of it and that of a value near the old one."""
    error = (values - returns).pow(2)
    if clip > 0:
        near = old + (values - old).clamp(-clip, clip)
        error = torch.max(error, (near - returns).pow(2))
    return 0.5 * error.mean()


class PPO:
    """Improves a model by what was collected with it."""

    def __init__(self, model, config):
        self.model, self.config = model, config
        self.optimizer = torch.optim.Adam(model.parameters(), lr=config.learning_rate, eps=1e-5)
        self.rate = linear(config.learning_rate, 0.3 * config.learning_rate, config.iterations)
        self.entropy = linear(config.entropy_coef, config.entropy_final, config.iterations)

    def losses(self, batch):
        dist, values = self.model(batch.observation)
        advantages = batch.advantages
        if self.config.normalise_advantages:
            advantages = standardised(advantages)
        policy, kl, clipped = policy_loss(dist.log_prob(batch.actions), batch.logp, advantages, self.config.clip)
        value = value_loss(values, batch.values, batch.returns, self.config.value_clip)
        return Losses(policy, value, dist.entropy().mean(), kl, clipped)

    def update(self, batch, iteration):
        """Goes over the batch a few times; returns the means of what was seen."""
        self._schedule(iteration)
        means = Means()
        for _ in range(self.config.epochs):
            kl = self._epoch(batch, iteration, means)
            if self.config.target_kl > 0 and kl > self.config.target_kl:
                means.add("stopped", 1.0)
                break
        means.add("explained", explained_variance(batch.values, batch.returns))
        return means.take()

    def _epoch(self, batch, iteration, means):
        last = 0.0
        for part in minibatches(batch, self.config.minibatches):
            losses = self.losses(part)
            norm = self._step(losses.total(self.config.value_coef, self.entropy(iteration)))
            last = losses.kl.item()
            means.add_all(
                policy=losses.policy, value=losses.value, entropy=losses.entropy,
                kl=losses.kl, clipped=losses.clipped, norm=norm,
            )
        return last

    def _step(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.config.max_grad_norm)
        self.optimizer.step()
        return norm

    def _schedule(self, iteration):
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate(iteration)
