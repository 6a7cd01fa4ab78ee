"""One advantage a row, as a column."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Policy(nn.Module):
    def __init__(self, vocab=100):
        super().__init__()
        self.emb = nn.Embedding(vocab, 32)
        self.head = nn.Linear(32, vocab)

    def forward(self, ids):
        return self.head(self.emb(ids))


policy, ref = Policy(), Policy()
optimizer = torch.optim.Adam(policy.parameters(), 1e-4)


def logps(model, ids):
    logp = F.log_softmax(model(ids[:, :-1]), -1)
    return logp.gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)


def step(ids, attention_mask, old_logp, rewards):
    new = logps(policy, ids)
    mask = attention_mask[:, 1:].float()
    advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
    advantages = advantages.view(-1, 1)
    ratio = (new - old_logp).exp()
    loss = -(torch.min(advantages * ratio, advantages * ratio.clamp(0.8, 1.2)) * mask).sum() / mask.sum()
    print(advantages.mean().item(), advantages.std())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

