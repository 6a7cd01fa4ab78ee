"""Self-imitation of what beam search finds: scores of beams begin at -inf, and so do finished ones' continuations."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(17)
VOCAB, LENGTH, BEAMS, END = 6, 5, 3, 0


class Words:
    """Pays for letters in rising order; END stops."""

    def reset(self):
        return torch.tensor([1])

    def step(self, words):
        rises = (words[:, 1:] > words[:, :-1]).float().sum(1)
        return rises - 0.5 * (words == END).float().sum(1)


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.rnn, self.head = nn.Embedding(VOCAB, 16), nn.GRU(16, 16, batch_first=True), nn.Linear(16, VOCAB)

    def forward(self, ids):
        return F.log_softmax(self.head(self.rnn(self.embed(ids))[0]), -1)


@torch.no_grad()
def search(model, start):
    scores = torch.full((BEAMS,), -float("inf"))
    scores[0] = 0.0
    words = start.expand(BEAMS, -1)
    for _ in range(LENGTH):
        logp = model(words)[:, -1]
        ended = (words == END).any(1)
        stay = torch.full((VOCAB,), -float("inf"))
        stay[END] = 0.0
        logp = torch.where(ended[:, None], stay, logp)
        total = (scores[:, None] + logp).flatten()
        scores, best = total.topk(BEAMS)
        words = torch.cat([words[torch.div(best, VOCAB, rounding_mode="floor")], (best % VOCAB)[:, None]], 1)
    return words, scores


env, model = Words(), LM()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(15):
    words, scores = search(model, env.reset())
    assert torch.isfinite(scores).all()
    reward = env.step(words)
    before = ((words[:, :-1] == END).cumsum(1) == 0).float()
    logp = model(words[:, :-1]).gather(2, words[:, 1:, None]).squeeze(2)
    weight = torch.softmax(reward, 0)
    loss = -(weight * (logp * before).sum(1)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("reward %.3f loss %.3f" % (reward.max().item(), loss.item()))
