"""GRPO as a trainer class: configuration, policy, reference and buffers are attributes.

The policy is a GRU that adds two two-digit numbers; it writes the sum one digit at a time and earns
one for a right sum, less for a wrong one the further away it is.
"""

import argparse
import copy
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class GRPOConfig:
    steps: int = 300
    questions: int = 16
    group_size: int = 8
    inner_epochs: int = 2
    minibatch_size: int = 64
    clip_range: float = 0.2
    learning_rate: float = 1e-3
    max_grad_norm: float = 1.0
    hidden: int = 64
    temperature: float = 1.0
    log_every: int = 10
    seed: int = 7


@dataclass
class Experience:
    tokens: torch.Tensor
    advantages: torch.Tensor
    old_logps: torch.Tensor
    ref_logps: torch.Tensor

    def __len__(self):
        return self.tokens.size(0)

    def select(self, index):
        return Experience(self.tokens[index], self.advantages[index], self.old_logps[index], self.ref_logps[index])


class AdditionTask:
    """Questions such as 1 2 + 3 4 =, answered with three digits."""

    plus, equals, vocab = 10, 11, 12
    prompt_length, answer_length = 6, 3

    def questions(self, count):
        digits = torch.randint(0, 10, (count, 4))
        plus, equals = torch.full((count, 1), self.plus), torch.full((count, 1), self.equals)
        return torch.cat([digits[:, :2], plus, digits[:, 2:], equals], dim=1)

    def reward(self, tokens):
        total = 10 * (tokens[:, 0] + tokens[:, 3]) + tokens[:, 1] + tokens[:, 4]
        answer = 100 * tokens[:, 6] + 10 * tokens[:, 7] + tokens[:, 8]
        return torch.exp(-(answer - total).abs().float() / 50.0)


class Policy(nn.Module):
    def __init__(self, vocab, hidden, temperature):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 10)
        self.temperature = temperature

    def forward(self, tokens):
        features, _ = self.rnn(self.embed(tokens))
        return self.head(features) / self.temperature

    @torch.no_grad()
    def complete(self, prompts, count):
        tokens = prompts
        for _ in range(count):
            self.scores = self(tokens)[:, -1]
            choice = self.scores.multinomial(1)  # bug: DIST023
            tokens = torch.cat([tokens, choice], dim=-1)
        return tokens

    def log_probs(self, tokens, prompt_length):
        logps = self(tokens[:, :-1]).log_softmax(-1)[:, prompt_length - 1:]
        return logps.gather(-1, tokens[:, prompt_length:].unsqueeze(-1)).squeeze(-1)


class GRPOTrainer:
    def __init__(self, config):
        torch.manual_seed(config.seed)
        self.config = config
        self.task = AdditionTask()
        self.policy = Policy(self.task.vocab, config.hidden, config.temperature)
        self.reference = copy.deepcopy(self.policy)
        self.reference.eval()
        for parameter in self.reference.parameters():
            parameter.requires_grad = False
        self.optimizer = torch.optim.AdamW(self.policy.parameters(), lr=config.learning_rate)
        self.metrics = {}

    def advantages(self, rewards):
        groups = rewards.view(-1, self.config.group_size)
        self.baseline = groups.mean(-1, keepdim=True)
        self.spread = groups.std(-1, keepdim=True)
        return ((groups - self.baseline) / self.spread).view(-1)  # bug: ADV009

    @torch.no_grad()
    def collect(self):
        prompts = self.task.questions(self.config.questions)
        prompts = prompts.repeat_interleave(self.config.group_size, dim=0)
        tokens = self.policy.complete(prompts, self.task.answer_length)
        rewards = self.task.reward(tokens)
        self.metrics["reward"] = rewards.mean().item()
        return Experience(
            tokens=tokens,
            advantages=self.advantages(rewards),
            old_logps=self.policy.log_probs(tokens, self.task.prompt_length),
            ref_logps=self.reference.log_probs(tokens, self.task.prompt_length),  # bug: KL016
        )

    def compute_loss(self, batch):
        logps = self.policy.log_probs(batch.tokens, self.task.prompt_length)
        self.ratio = logps - batch.old_logps  # bug: OBJ001
        advantages = batch.advantages[:, None]
        low, high = 1.0 - self.config.clip_range, 1.0 + self.config.clip_range
        objective = torch.min(self.ratio * advantages, self.ratio.clamp(low, high) * advantages)
        gap = batch.ref_logps - logps
        self.kl = gap.exp() - gap - 1.0
        self.metrics["kl"] = self.kl.mean().item()
        return -objective.mean()

    def step(self):
        experience = self.collect()
        for _ in range(self.config.inner_epochs):
            for index in torch.randperm(len(experience)).split(self.config.minibatch_size):
                loss = self.compute_loss(experience.select(index))
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.policy.parameters(), self.config.max_grad_norm)
                self.optimizer.step()
                self.metrics["loss"] = loss.item()

    def train(self):
        for step in range(self.config.steps):
            self.step()
            if step % self.config.log_every == 0:
                print(step, "  ".join(f"{name} {value:.4f}" for name, value in self.metrics.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=GRPOConfig.steps)
    parser.add_argument("--seed", type=int, default=GRPOConfig.seed)
    GRPOTrainer(GRPOConfig(**vars(parser.parse_args()))).train()
