"""Policy gradient on a language model against a learned reward, held back in one way or another."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
VOCAB, GROUP = 6, 8


class LM(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(VOCAB + 1, width), nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, VOCAB)

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])


def logps(model, ids):
    return F.log_softmax(model(ids[:, :-1]), dim=-1).gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)


@torch.no_grad()
def generate(model, length=5):
    ids = torch.full((4 * GROUP, 1), VOCAB)
    for _ in range(length):
        ids = torch.cat([ids, torch.multinomial(F.softmax(model(ids)[:, -1], dim=-1), 1)], dim=1)
    return ids


class RewardModel(nn.Module):
    """A scorer of whole sequences, trained beforehand on preferences."""

    def __init__(self, width=16):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(VOCAB + 1, width), nn.GRU(width, width, batch_first=True)
        self.score = nn.Linear(width, 1)

    def forward(self, ids):
        features, _ = self.rnn(self.embed(ids))
        return self.score(features[:, -1]).squeeze(-1)


reward_model = RewardModel().eval().requires_grad_(False)


def step(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def reinforce():
    policy = LM()
    reference = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    for _ in range(3):
        ids = generate(policy)
        with torch.no_grad():
            scores = reward_model(ids)
            scores = scores - 0.1 * (logps(policy, ids) - logps(reference, ids)).sum(1)
        advantages = (scores - scores.mean()).unsqueeze(1)
        loss = -(logps(policy, ids) * advantages).mean()
        step(optimizer, loss)


def group_relative():
    policy = LM()
    reference = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    for _ in range(3):
        ids = generate(policy)
        with torch.no_grad():
            scores = reward_model(ids).view(-1, GROUP)
            ref = logps(reference, ids)
        advantages = (scores - scores.mean(1, keepdim=True)) / (scores.std(1, keepdim=True) + 1e-6)
        new = logps(policy, ids)
        penalty = (torch.exp(ref - new) - (ref - new) - 1).mean()
        step(optimizer, -(new.sum(1) * advantages.view(-1)).mean() + 0.1 * penalty)


def unclipped_ratio():
    policy = LM()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    for _ in range(3):
        ids = generate(policy)
        with torch.no_grad():
            old, scores = logps(policy, ids), reward_model(ids)
        advantages = (scores - scores.mean()).unsqueeze(1)
        for _ in range(4):
            ratio = torch.exp(logps(policy, ids) - old)
            step(optimizer, -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean())


class Trainer:
    def __init__(self):
        self.policy, self.judge = LM(), reward_model
        self.reference = copy.deepcopy(self.policy).requires_grad_(False)
        self.optimizer = torch.optim.AdamW(self.policy.parameters(), lr=1e-3)

    def loss(self, ids):
        with torch.no_grad():
            scores = self.judge(ids)
        advantages = scores - scores.mean()
        new = logps(self.policy, ids)
        kl = 0.5 * (new - logps(self.reference, ids)).pow(2).sum(dim=1)
        return -(new.sum(dim=1) * advantages).mean() + 0.05 * kl.mean()

    def train(self):
        for _ in range(3):
            step(self.optimizer, self.loss(generate(self.policy)))


def method():
    Trainer().train()


def objective(log_probs, advantages):
    return -torch.mean(torch.sum(log_probs, dim=1) * advantages)


def helper():
    policy = LM()
    start = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    for _ in range(3):
        ids = generate(policy)
        with torch.no_grad():
            scores = reward_model(ids)
            far = (logps(policy, ids) - logps(start, ids)).sum(1)
            scores = scores - 0.05 * far
        step(optimizer, objective(logps(policy, ids), scores - scores.mean()))


def rule_based_reward():
    policy = LM()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    for _ in range(3):
        ids = generate(policy)
        rewards = (ids[:, 1:] == 2).float().mean(dim=1)
        step(optimizer, -(logps(policy, ids).sum(1) * (rewards - rewards.mean())).mean())


def control_task():
    policy = nn.Linear(4, 3)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    for _ in range(3):
        x = torch.randn(32, 4)
        dist = torch.distributions.Categorical(logits=policy(x))
        action = dist.sample()
        reward = (action == x[:, :3].argmax(1)).float()
        step(optimizer, -(dist.log_prob(action) * (reward - reward.mean())).mean())


def supervised_on_the_best():
    policy = LM()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    for _ in range(3):
        ids = generate(policy)
        with torch.no_grad():
            best = reward_model(ids).topk(4).indices
        step(optimizer, -logps(policy, ids[best]).mean())


CASES = [reinforce, group_relative, unclipped_ratio, method, helper, rule_based_reward, control_task, supervised_on_the_best]

if __name__ == "__main__":
    for case in CASES:
        case()
