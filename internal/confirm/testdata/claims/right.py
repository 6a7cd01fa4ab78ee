"""A right program; a comment at the end of a line claims a mistake that is none, and says what the runs must come to."""
import torch

N, EOS = 4, 1
torch.manual_seed(0)
weights = torch.nn.Parameter(torch.zeros(8))
optimizer = torch.optim.SGD([weights], lr=0.01)

for step in range(5):
    ids = torch.randint(1, 8, (8, 6))
    is_eos = ids == EOS
    mask = ((is_eos.cumsum(1) - is_eos.int()) == 0).float()
    rewards = (((ids == 5).float() * mask).sum(1) > 0).float()
    groups = rewards.view(-1, N)
    logp = weights.log_softmax(0)[ids]
    d = torch.randn(8, 6) * 0.1
    kl = torch.exp(d) - d - 1
    per_token = (-logp * rewards.unsqueeze(1) + 0.04 * kl) * mask
    sequences = per_token.sum(1) / mask.sum(1).clamp(min=1)
    one = sequences.mean()  # claim: KL007
    two = sequences.mean()  # claim: TOK014
    three = sequences.mean()  # claim: ADV010
    four = sequences.sum()  # claim: TOK040
    five = sequences.view(-1, N).mean()  # claim: TOK014
    one.backward()
    optimizer.step()
