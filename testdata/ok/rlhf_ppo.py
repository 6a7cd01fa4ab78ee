"""RLHF with PPO: a value head, a frozen reward model and a reference whose KL sits in the reward.

Trap: `-kl_coef * (logp - ref_logp)` is a bare log-ratio (k1) added to the reward of each token, without gradient; an
adaptive controller moves the coefficient. The PPO ratio is another difference, and that one is exponentiated. Whitening
uses rsqrt(var + eps).
"""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, BOS, LENGTH = 6, 6, 8


class CausalLM(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(VOCAB + 1, width), nn.GRU(width, width, batch_first=True)
        self.lm_head, self.v_head = nn.Linear(width, VOCAB), nn.Linear(width, 1)

    def forward(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return self.lm_head(h), self.v_head(h).squeeze(-1)


class RewardModel(nn.Module):
    """A fixed random scorer of whole sequences."""

    def __init__(self):
        super().__init__()
        self.embed, self.score = nn.Embedding(VOCAB + 1, 16), nn.Linear(16, 1)

    def forward(self, ids):
        return self.score(self.embed(ids).mean(dim=1)).squeeze(-1)


class AdaptiveKLController:
    def __init__(self, value, target, horizon):
        self.value, self.target, self.horizon = value, target, horizon

    def update(self, current, steps):
        error = max(-0.2, min(0.2, current / self.target - 1))
        self.value *= 1 + error * steps / self.horizon


def logprobs_from_logits(logits, labels):
    return torch.gather(F.log_softmax(logits, dim=2), 2, labels.unsqueeze(2)).squeeze(-1)


def whiten(values, shift_mean=True):
    mean, var = values.mean(), values.var(unbiased=False)
    whitened = (values - mean) * torch.rsqrt(var + 1e-8)
    return whitened if shift_mean else whitened + mean


@torch.no_grad()
def generate(model, count):
    ids = torch.full((count, 1), BOS)
    for _ in range(LENGTH):
        logits, _ = model(ids)
        ids = torch.cat([ids, torch.multinomial(F.softmax(logits[:, -1], dim=-1), 1)], dim=1)
    return ids


class PPOTrainer:
    def __init__(self, args):
        self.args = args
        self.model = CausalLM()
        self.ref_model = copy.deepcopy(self.model).eval().requires_grad_(False)
        self.reward_model = RewardModel().eval().requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.kl_ctl = AdaptiveKLController(args.init_kl_coef, args.target_kl, horizon=2000)

    def compute_rewards(self, scores, logprobs, ref_logprobs):
        kl = logprobs - ref_logprobs
        rewards = -self.kl_ctl.value * kl
        rewards[:, -1] += scores
        return rewards, kl

    def advantages(self, values, rewards, gamma=1.0, lam=0.95):
        carry, reversed_advantages = torch.zeros(values.size(0)), []
        for t in reversed(range(LENGTH)):
            following = values[:, t + 1] if t < LENGTH - 1 else torch.zeros(values.size(0))
            carry = rewards[:, t] + gamma * following - values[:, t] + gamma * lam * carry
            reversed_advantages.append(carry)
        advantages = torch.stack(reversed_advantages[::-1], dim=1)
        return whiten(advantages), advantages + values

    def loss(self, ids, old_logprobs, old_values, advantages, returns):
        logits, vpred = self.model(ids[:, :-1])
        logprob = logprobs_from_logits(logits, ids[:, 1:])
        vclipped = torch.max(torch.min(vpred, old_values + 0.2), old_values - 0.2)
        vf_loss = 0.5 * torch.max((vpred - returns) ** 2, (vclipped - returns) ** 2).mean()
        ratio = torch.exp(logprob - old_logprobs)
        pg_losses = -advantages * ratio
        pg_losses2 = -advantages * torch.clamp(ratio, 1.0 - self.args.cliprange, 1.0 + self.args.cliprange)
        return torch.max(pg_losses, pg_losses2).mean() + 0.1 * vf_loss

    def step(self):
        ids = generate(self.model, self.args.batch_size)
        with torch.no_grad():
            logits, values = self.model(ids[:, :-1])
            ref_logits, _ = self.ref_model(ids[:, :-1])
            logprobs = logprobs_from_logits(logits, ids[:, 1:])
            ref_logprobs = logprobs_from_logits(ref_logits, ids[:, 1:])
            scores = self.reward_model(ids)
            rewards, kl = self.compute_rewards(scores, logprobs, ref_logprobs)
            advantages, returns = self.advantages(values, rewards)
        for _ in range(self.args.ppo_epochs):
            for index in torch.randperm(self.args.batch_size).split(self.args.mini_batch_size):
                loss = self.loss(ids[index], logprobs[index], values[index], advantages[index], returns[index])
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
        mean_kl = kl.sum(dim=1).mean().item()
        self.kl_ctl.update(mean_kl, self.args.batch_size)
        return {"score": scores.mean().item(), "kl": mean_kl, "kl_coef": self.kl_ctl.value, "loss": loss.item()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--mini-batch-size", type=int, default=16)
    parser.add_argument("--ppo-epochs", type=int, default=4)
    parser.add_argument("--cliprange", type=float, default=0.2)
    parser.add_argument("--init-kl-coef", type=float, default=0.1)
    parser.add_argument("--target-kl", type=float, default=2.0)
    options = parser.parse_args()
    torch.manual_seed(0)
    trainer = PPOTrainer(options)
    for step in range(options.steps):
        stats = trainer.step()
        if step % 10 == 0:
            print(step, {key: round(value, 4) for key, value in stats.items()})
