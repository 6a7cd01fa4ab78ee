"""GRPO in classes: a policy, a rollout worker, an advantage estimator, a trainer."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, EOS, BOS = 6, 0, 5


class Policy(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, VOCAB)

    def forward(self, ids):
        hidden, _ = self.rnn(self.embed(ids))
        return self.head(hidden)

    def token_logps(self, ids):
        logps = F.log_softmax(self(ids[:, :-1]), dim=-1)
        # bug DIST025: logps = F.log_softmax(self(ids[:, :-1]), dim=1)
        return logps.gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)


class Sampler:
    def __init__(self, policy, length, group):
        self.policy, self.length, self.group = policy, length, group

    @torch.no_grad()
    def generate(self, prompts):
        ids = prompts.repeat_interleave(self.group, dim=0)
        for _ in range(self.length):
            logits = self.policy(ids)[:, -1]
            probs = torch.softmax(logits, dim=-1)
            following = torch.multinomial(probs, 1)
            # bug DIST023: following = torch.multinomial(logits, 1)
            ids = torch.cat([ids, following], dim=1)
        return ids


class GroupAdvantage:
    def __init__(self, group, eps=1e-6):
        self.group, self.eps = group, eps

    def __call__(self, rewards):
        groups = rewards.view(-1, self.group)
        mean = groups.mean(dim=1, keepdim=True)
        std = groups.std(dim=1, keepdim=True)  # found: ADV019
        scaled = (groups - mean) / (std + self.eps)  # found: ADV020
        # bug ADV009: scaled = (groups - mean) / std
        return scaled.view(-1)


class GRPOTrainer:
    def __init__(self, policy, group=8, clip=0.2, beta=0.04, epochs=2, lr=1e-3):  # found: KL017
        # bug ADV019, ADV020: def __init__(self, policy, group=1, clip=0.2, beta=0.04, epochs=2, lr=1e-3):
        self.policy = policy
        self.reference = copy.deepcopy(policy).eval().requires_grad_(False)
        self.clip, self.beta, self.epochs = clip, beta, epochs
        self.sampler = Sampler(policy, 8, group)
        self.estimator = GroupAdvantage(group)
        self.optimizer = torch.optim.AdamW(policy.parameters(), lr=lr)

    def reward(self, ids):
        return (ids[:, 1:] == 2).float().mean(dim=1)

    def loss(self, ids, old, ref, advantages, mask):
        logps = self.policy.token_logps(ids)
        ratio = torch.exp(logps - old)  # found: OBJ007
        # bug OBJ001: ratio = logps - old
        # bug OBJ020: ratio = torch.exp(old - logps)
        clipped = torch.clamp(ratio, 1 - self.clip, 1 + self.clip)
        # bug OBJ022: clipped = torch.clamp(ratio, -self.clip, self.clip)
        gain = torch.min(ratio * advantages, clipped * advantages)
        # bug OBJ002: gain = torch.max(ratio * advantages, clipped * advantages)
        kl = torch.exp(ref - logps) - (ref - logps) - 1
        # bug KL002: kl = logps - ref
        per_token = -gain + self.beta * kl  # found: KL002
        # bug KL001: per_token = -gain - self.beta * kl
        # bug KL016, KL017: per_token = -gain
        # bug KL017: per_token = -gain + kl
        # bug KL004: per_token = -gain + self.beta * kl.detach()
        return (per_token * mask).sum() / mask.sum().clamp(min=1)

    def step(self, prompts):
        ids = self.sampler.generate(prompts)
        ended = (ids[:, 1:] == EOS).long()
        mask = (ended.cumsum(1) - ended == 0).float()
        rewards = self.reward(ids)
        advantages = self.estimator(rewards).unsqueeze(1)
        with torch.no_grad():
            # bug OBJ007: if True:
            old = self.policy.token_logps(ids)
            ref = self.reference.token_logps(ids)  # found: KL016
        for _ in range(self.epochs):
            loss = self.loss(ids, old, ref, advantages, mask)
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.policy.parameters(), 1.0)
            self.optimizer.step()
        return rewards.mean().item(), loss.item()


def main():
    torch.manual_seed(0)
    trainer = GRPOTrainer(Policy())
    for i in range(50):
        prompts = torch.full((4, 1), BOS)
        reward, loss = trainer.step(prompts)
        if i % 10 == 0:
            print(f"step {i} reward {reward:.3f} loss {loss:.4f}")


if __name__ == "__main__":
    main()
