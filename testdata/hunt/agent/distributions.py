"""Distributions over actions, with log-probability, entropy and divergence."""

import torch


class Categorical:
    """Over n actions, from logits [..., n]; those that are not allowed have probability zero."""

    def __init__(self, logits, allowed=None):
        if allowed is not None:
            logits = logits.masked_fill(~allowed, -1e9)
        self.logp = torch.log_softmax(logits, -1)

    @property
    def probs(self):
        return self.logp.exp()

    def sample(self):
        flat = self.probs.flatten(0, -2)
        return torch.multinomial(flat, 1).view(self.logp.shape[:-1])

    def mode(self):
        return self.logp.argmax(-1)

    def log_prob(self, actions):
        return self.logp.gather(-1, actions.unsqueeze(-1)).squeeze(-1)

    def entropy(self):
        return -(self.probs * self.logp).sum(-1)

    def kl(self, other):
        """KL(self || other)."""
        return (self.probs * (self.logp - other.logp)).sum(-1)


class Uniform(Categorical):
    """The same probability for every action, to compare an agent with."""

    def __init__(self, count, actions):
        super().__init__(torch.zeros(count, actions))
