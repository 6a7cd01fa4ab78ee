"""A mask that holds the first token of each row."""

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


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), 1e-4)


def step(ids, advantages, eos=2):
    logp = F.log_softmax(policy(ids[:, :-1]), -1)
    token_logp = logp.gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    tokens = ids[:, 1:]
    mask = torch.ones_like(tokens, dtype=torch.float)
    mask[:, 1:] = torch.cumprod((tokens != eos).float(), 1)[:, :-1]
    per_seq = (token_logp * mask).sum(1) / mask.sum(1)
    loss = -(per_seq * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for _ in range(3):
    step(torch.randint(3, 100, (8, 20)), torch.randn(8))
