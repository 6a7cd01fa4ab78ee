"""Rollouts: sampling of completions, and the record that carries a batch to the update."""

from typing import Iterator, NamedTuple

import torch


class Rollout(NamedTuple):
    tokens: torch.Tensor
    rewards: torch.Tensor
    advantages: torch.Tensor
    old: torch.Tensor
    ref: torch.Tensor

    def minibatches(self, size: int) -> Iterator["Rollout"]:
        for index in torch.randperm(self.tokens.size(0)).split(size):
            yield Rollout(self.tokens[index], self.rewards[index], self.advantages[index], self.old[index], self.ref[index])


def next_token(scores):
    return torch.multinomial(scores, num_samples=1)  # bug: DIST023


@torch.no_grad()
def sample_completions(model, prompts, count):
    tokens = prompts
    for _ in range(count):
        tokens = torch.cat([tokens, next_token(model(tokens)[:, -1])], dim=1)
    return tokens
