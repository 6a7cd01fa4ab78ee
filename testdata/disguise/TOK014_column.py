"""One ratio a token."""

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
    ratio = (new - old_logp).exp()
    loss = -(ratio * rewards[:, None] * mask).sum() / mask.sum() 
    print(ratio.mean().item())  # bug: TOK014
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

