"""Advantages with gradients, where a worker hands its gradients on to the network that the optimizer steps."""

import torch
from torch import nn
from torch.distributions import Categorical


class Brain(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.pick, self.rate = nn.Linear(4, 16), nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        return self.pick(h), self.rate(h).squeeze(-1)


def work(batches):
    central, own = Brain(), Brain()
    optimizer = torch.optim.Adam(central.parameters())
    for x, u, gains in batches:
        own.load_state_dict(central.state_dict())
        scores, rates = own(x)
        loss = (-Categorical(logits=scores).log_prob(u) * (gains - rates) + (gains - rates) ** 2).mean()  # bug: OBJ011
        own.zero_grad()
        loss.backward()
        for mine, theirs in zip(own.parameters(), central.parameters()):
            theirs._grad = mine.grad
        optimizer.step()
