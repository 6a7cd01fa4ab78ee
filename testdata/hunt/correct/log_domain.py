"""REINFORCE on paths: a forward recursion in the log domain, where what cannot be reached has -inf.

logsumexp is finite wherever one term is, and only places that can be reached are picked.
"""
import torch
from torch import nn

torch.manual_seed(13)
PLACES, LENGTH = 6, 5


class Tracks:
    """Each place leads to itself and to the next two."""

    edges = torch.stack([torch.roll(torch.tensor([1, 1, 1, 0, 0, 0]), i) for i in range(PLACES)]).bool()

    def reset(self, n):
        self.at = torch.zeros(n, dtype=torch.long)
        return self.at

    def step(self, to):
        reward = (to == 5).float() - 0.1 * (to == self.at).float()
        self.at = to
        return self.at, reward


class Rates(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(PLACES, PLACES))

    def log_probs(self):
        allowed = torch.where(Tracks.edges, 0.0, -torch.inf)
        return torch.log_softmax(self.scores + allowed, -1)

    def marginals(self, steps):
        """Log-probability of each place after so many steps from the first."""
        alpha = torch.full((PLACES,), -torch.inf)
        alpha[0] = 0.0
        for _ in range(steps):
            # a column that no path reaches yet is all -inf: its sum is -inf, without a gradient
            terms = alpha[:, None] + self.log_probs()
            reached = torch.isfinite(terms).any(0)
            sums = torch.logsumexp(terms.masked_fill(~reached, 0.0), 0)
            alpha = torch.where(reached, sums, torch.full_like(sums, -torch.inf))
        return alpha


env, rates = Tracks(), Rates()
optimizer = torch.optim.Adam(rates.parameters(), lr=0.05)
for update in range(20):
    at, logps, rewards = env.reset(16), [], []
    for _ in range(LENGTH):
        logp = rates.log_probs()[at]
        to = torch.multinomial(logp.detach().exp(), 1)
        logps.append(logp.gather(1, to).squeeze(1))
        at, reward = env.step(to.squeeze(1))
        rewards.append(reward)
    score = torch.stack(rewards).sum(0)
    marginal = rates.marginals(2)
    reached = marginal[torch.isfinite(marginal)]
    spread = -(reached.exp() * reached).sum()
    loss = -(torch.stack(logps).sum(0) * (score - score.mean())).mean() - 0.01 * spread
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("score %.3f" % score.mean().item())
