"""GRPO with a dataclass of settings and a factory that builds model, optimizer and trainer."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class ModelConfig:
    vocab: int = 9
    width: int = 32
    layers: int = 1


@dataclass
class GRPOConfig:
    model: ModelConfig = field(default_factory=ModelConfig)
    num_generations: int = 8
    # bug ADV019, ADV020: num_generations: int = 1
    epsilon: float = 0.2
    beta: float = 0.04  # found: KL017
    learning_rate: float = 1e-3
    num_iterations: int = 2
    completion_length: int = 8
    steps: int = 40


@dataclass
class Rollout:
    tokens: torch.Tensor
    mask: torch.Tensor
    rewards: torch.Tensor
    advantages: torch.Tensor
    old_logps: torch.Tensor
    ref_logps: torch.Tensor


class Decoder(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.width)
        self.rnn = nn.GRU(cfg.width, cfg.width, cfg.layers, batch_first=True)
        self.lm_head = nn.Linear(cfg.width, cfg.vocab, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.lm_head(self.rnn(self.embed(tokens))[0])


class Trainer:
    def __init__(self, cfg: GRPOConfig, model: nn.Module, ref: nn.Module, optimizer: torch.optim.Optimizer):
        self.cfg, self.model, self.ref, self.optimizer = cfg, model, ref, optimizer

    def logps(self, model: nn.Module, tokens: torch.Tensor) -> torch.Tensor:
        logits = model(tokens[:, :-1])
        logps = torch.log_softmax(logits, dim=-1)
        # bug DIST025: logps = torch.log_softmax(logits, dim=1)
        return torch.gather(logps, dim=-1, index=tokens[:, 1:].unsqueeze(-1)).squeeze(-1)

    @torch.no_grad()
    # bug OBJ007:
    def rollout(self, prompts: torch.Tensor) -> Rollout:
        tokens = prompts.repeat_interleave(self.cfg.num_generations, dim=0)
        for _ in range(self.cfg.completion_length):
            probs = F.softmax(self.model(tokens)[:, -1, :], dim=-1)
            # bug DIST023: probs = self.model(tokens)[:, -1, :]
            tokens = torch.cat([tokens, torch.multinomial(probs, num_samples=1)], dim=-1)  # found: DIST023
        rewards = (tokens[:, 1:] == 4).float().mean(dim=-1)
        grouped = rewards.view(-1, self.cfg.num_generations)
        centred = grouped - grouped.mean(dim=-1, keepdim=True)  # found: ADV020
        std = grouped.std(dim=-1, keepdim=True)  # found: ADV019
        advantages = (centred / (std + 1e-4)).view(-1)
        # bug ADV009: advantages = (centred / std).view(-1)
        return Rollout(
            tokens=tokens,
            mask=torch.ones_like(tokens[:, 1:], dtype=torch.float),
            rewards=rewards,
            advantages=advantages,
            old_logps=self.logps(self.model, tokens),
            ref_logps=self.logps(self.ref, tokens),  # found: KL016
        )

    def loss(self, batch: Rollout) -> torch.Tensor:
        logps = self.logps(self.model, batch.tokens)
        coef = torch.exp(logps - batch.old_logps)  # found: OBJ007
        # bug OBJ001: coef = logps - batch.old_logps
        # bug OBJ020: coef = torch.exp(batch.old_logps - logps)
        clipped = torch.clamp(coef, 1 - self.cfg.epsilon, 1 + self.cfg.epsilon)
        # bug OBJ022: clipped = torch.clamp(coef, -self.cfg.epsilon, self.cfg.epsilon)
        advantages = batch.advantages.unsqueeze(-1)
        per_token = -torch.min(coef * advantages, clipped * advantages)
        # bug OBJ002: per_token = -torch.max(coef * advantages, clipped * advantages)
        if self.cfg.beta > 0:
            kl = torch.exp(batch.ref_logps - logps) - (batch.ref_logps - logps) - 1
            # bug KL002: kl = logps - batch.ref_logps
            per_token = per_token + self.cfg.beta * kl  # found: KL002
            # bug KL001: per_token = per_token - self.cfg.beta * kl
            # bug KL004: per_token = per_token + self.cfg.beta * kl.detach()
            # bug KL016: pass
        return (per_token * batch.mask).sum() / batch.mask.sum()

    def step(self, prompts: torch.Tensor) -> dict[str, float]:
        batch = self.rollout(prompts)
        for _ in range(self.cfg.num_iterations):
            loss = self.loss(batch)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
        return {"loss": loss.item(), "reward": batch.rewards.mean().item()}


def build_trainer(cfg: GRPOConfig) -> Trainer:
    model = Decoder(cfg.model)
    ref = copy.deepcopy(model).eval()
    ref.requires_grad_(False)
    return Trainer(cfg, model, ref, torch.optim.AdamW(model.parameters(), lr=cfg.learning_rate))


if __name__ == "__main__":
    config = GRPOConfig()
    trainer = build_trainer(config)
    for i in range(config.steps):
        metrics = trainer.step(torch.randint(0, config.model.vocab, (4, 1)))
        print(i, metrics)
