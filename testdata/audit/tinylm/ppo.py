"""PPO on a language model: the KL to the reference is in the reward of each token.

Shapes: `batch` completions of `length` tokens, right-padded; `mask` is 1.0 up to EOS and 0.0 behind
it, and every sum and mean is taken under it.
"""

import copy
from dataclasses import dataclass

import torch
from torch import nn
import torch.nn.functional as F

from language import EOS
from models import completion_mask, masked_mean


@dataclass
class Settings:
    kl_coef: float = 0.5
    learning_rate: float = 5e-4
    value_learning_rate: float = 1e-2
    batch_size: int = 64
    num_ppo_epochs: int = 3
    num_mini_batches: int = 2
    cliprange: float = 0.2
    gamma: float = 1.0
    lam: float = 0.95
    max_grad_norm: float = 1.0


@dataclass
class Rollout:
    """What the policy of before the update did. [batch, length], but for prompts and scores."""

    prompts: torch.Tensor  # [batch, PROMPT_LENGTH]
    completions: torch.Tensor
    mask: torch.Tensor
    log_probs: torch.Tensor  # of the tokens that were said
    values: torch.Tensor
    kl: torch.Tensor  # k1 estimate of each token
    scores: torch.Tensor  # [batch], of the reward model
    advantages: torch.Tensor
    returns: torch.Tensor


def token_log_probs(logits, tokens, mask):
    """Log-probabilities [batch, length] of tokens, 0 under the mask, from logits [batch, length, words]."""
    chosen = tokens.masked_fill(mask == 0, EOS).unsqueeze(-1)  # PAD is not among the logits
    return F.log_softmax(logits, dim=-1).gather(-1, chosen).squeeze(-1) * mask


def advantages_of(rewards, values, mask, gamma, lam):
    """Advantages by GAE [batch, length], 0 under the mask; a completion that ends, or is cut, is over."""
    after = torch.zeros(len(rewards))
    advantages = torch.zeros_like(rewards)
    for t in reversed(range(rewards.shape[1])):
        alive = mask[:, t + 1] if t + 1 < rewards.shape[1] else torch.zeros(len(rewards))
        value_after = values[:, t + 1] if t + 1 < rewards.shape[1] else torch.zeros(len(rewards))
        delta = rewards[:, t] + gamma * value_after * alive - values[:, t]
        after = (delta + gamma * lam * alive * after) * mask[:, t]
        advantages[:, t] = after
    return advantages


def whiten(values, mask):
    """Values with mean 0 and variance 1 under the mask, 0 elsewhere."""
    mean = masked_mean(values, mask)
    variance = masked_mean((values - mean) ** 2, mask)
    return (values - mean) * torch.rsqrt(variance + 1e-8) * mask


def value_loss(values, rollout):
    """Half the mean squared error of values [batch, length]."""
    return 0.5 * masked_mean((values - rollout.returns) ** 2, rollout.mask)


class PPO:
    """Trains policy, a LanguageModel, to please reward_model; where it stands now is the reference."""

    def __init__(self, policy, reward_model, settings, generator):
        self.policy, self.reward_model = policy, reward_model
        self.reference = copy.deepcopy(policy).requires_grad_(False)
        self.settings, self.generator = settings, generator
        language = [*policy.embed.parameters(), *policy.prompt.parameters(), *policy.gru.parameters(), *policy.lm_head.parameters()]
        self.optimizer = torch.optim.Adam(language, lr=settings.learning_rate, eps=1e-5)
        self.value_optimizer = torch.optim.Adam(policy.value_head.parameters(), lr=settings.value_learning_rate)

    def warm_up(self, prompts, rounds=25):
        """Fits the value head alone, so that the first advantages are not noise."""
        rollout = self.rollout(prompts)
        for _ in range(rounds):
            _, values = self.policy(rollout.prompts, rollout.completions)
            self.value_optimizer.zero_grad()
            value_loss(values, rollout).backward()
            self.value_optimizer.step()

    def step(self, prompts):
        """Answers prompts [batch, PROMPT_LENGTH], learns from it, and returns the metrics by TRL's names."""
        rollout = self.rollout(prompts)
        return {**self.objective(rollout), **self.update(rollout), "lr": self.settings.learning_rate}

    @torch.no_grad()
    def rollout(self, prompts):
        s = self.settings
        completions = self.policy.generate(prompts, self.generator)
        mask = completion_mask(completions)
        logits, values = self.policy(prompts, completions)
        log_probs = token_log_probs(logits, completions, mask)
        ref_log_probs = token_log_probs(self.reference(prompts, completions)[0], completions, mask)
        kl = log_probs - ref_log_probs
        scores = self.reward_model(prompts, completions)
        rewards = -s.kl_coef * kl
        last = mask.sum(dim=1).long() - 1
        rewards[torch.arange(len(prompts)), last] += scores
        values = values * mask
        advantages = advantages_of(rewards, values, mask, s.gamma, s.lam)
        return Rollout(prompts, completions, mask, log_probs, values, kl, scores, whiten(advantages, mask), advantages + values)

    def objective(self, rollout):
        """What was sampled, before the update: sums over the tokens of a completion, means over completions."""
        penalty = -self.settings.kl_coef * rollout.kl.sum(dim=1)
        return {
            "objective/kl": rollout.kl.sum(dim=1).mean().item(),
            "objective/entropy": -rollout.log_probs.sum(dim=1).mean().item(),
            "objective/non_score_reward": penalty.mean().item(),
            "objective/rlhf_reward": (rollout.scores + penalty).mean().item(),
            "objective/scores": rollout.scores.mean().item(),
            "val/num_eos_tokens": (rollout.completions == EOS).sum().item(),
        }

    def update(self, rollout):
        """num_ppo_epochs passes over the rollout, and the means of their metrics."""
        s, seen = self.settings, []
        for _ in range(s.num_ppo_epochs):
            order = torch.randperm(len(rollout.prompts), generator=self.generator)
            for rows in order.chunk(s.num_mini_batches):
                loss, metrics = self.loss(Rollout(**{name: value[rows] for name, value in vars(rollout).items()}))
                self.optimizer.zero_grad()
                self.value_optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.policy.parameters(), s.max_grad_norm)
                self.optimizer.step()
                self.value_optimizer.step()
                seen.append(metrics)
        means = {name: sum(metrics[name] for metrics in seen) / len(seen) for name in seen[0]}
        ratios = torch.tensor([metrics["val/ratio"] for metrics in seen])
        return {**means, "val/ratio_var": ratios.var().item()}

    def loss(self, batch):
        """The loss of a mini-batch, and its metrics."""
        s = self.settings
        logits, values = self.policy(batch.prompts, batch.completions)
        log_ratio = token_log_probs(logits, batch.completions, batch.mask) - batch.log_probs
        ratio = torch.exp(log_ratio)
        policy_losses = -batch.advantages * ratio
        clipped_losses = -batch.advantages * torch.clamp(ratio, 1 - s.cliprange, 1 + s.cliprange)
        policy_loss = masked_mean(torch.max(policy_losses, clipped_losses), batch.mask)
        squared_error = value_loss(values, batch)
        with torch.no_grad():
            log_probs = F.log_softmax(logits, dim=-1)
            entropy = -(log_probs.exp() * log_probs).sum(dim=-1)
            metrics = {
                "policy/approxkl_avg": 0.5 * masked_mean(log_ratio**2, batch.mask).item(),
                "policy/clipfrac_avg": masked_mean((clipped_losses > policy_losses).float(), batch.mask).item(),
                "policy/entropy_avg": masked_mean(entropy, batch.mask).item(),
                "loss/policy_avg": policy_loss.item(),
                "loss/value_avg": squared_error.item(),
                "val/ratio": masked_mean(ratio, batch.mask).item(),
            }
        return policy_loss + squared_error, metrics
