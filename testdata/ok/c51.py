"""Categorical DQN (C51): a distribution over returns for each action.

Trap: a softmax over atoms that is neither a policy nor sampled from; log-probs of atoms multiply a projected target
distribution in a cross-entropy. `clamp(0, 1)` bounds interpolation weights, not a ratio.
"""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class CategoricalQ(nn.Module):
    def __init__(self, inputs, actions, atoms, low, high):
        super().__init__()
        self.actions, self.atoms = actions, atoms
        self.register_buffer("support", torch.linspace(low, high, atoms))
        self.net = nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, actions * atoms))

    def logits(self, x):
        return self.net(x).view(-1, self.actions, self.atoms)

    def q(self, x):
        return (F.softmax(self.logits(x), dim=-1) * self.support).sum(-1)

    def log_probs(self, x, a):
        rows = torch.arange(x.size(0))
        return F.log_softmax(self.logits(x)[rows, a], dim=-1)


def project(target, reward, terminated, y, gamma):
    """Return the target distribution of r + gamma z on the fixed support, shape (B, atoms)."""
    support = target.support
    low, high = support[0], support[-1]
    best = target.q(y).argmax(dim=1)
    following = target.log_probs(y, best).exp()
    moved = reward.unsqueeze(1) + gamma * (1 - terminated).unsqueeze(1) * support
    places = (moved.clamp(low, high) - low) / (support[1] - support[0])
    distance = (places.unsqueeze(1) - torch.arange(target.atoms).view(1, -1, 1)).abs()
    return ((1 - distance).clamp(0, 1) * following.unsqueeze(1)).sum(-1)


def bandit_chain(count):
    """Two-step chains: the first action picks a risky or a safe second step."""
    first = torch.randint(0, 2, (count,))
    x = torch.eye(3)[torch.zeros(count, dtype=torch.long)]
    y = torch.eye(3)[first + 1]
    second = torch.randint(0, 2, (count,))
    risky = torch.where(torch.rand(count) < 0.4, 2.0, -1.0)
    safe = torch.full((count,), 0.3)
    last = torch.where(first == 0, safe, risky) + 0.1 * second.float()
    zeros, ones = torch.zeros(count), torch.ones(count)
    return (torch.cat([x, y]), torch.cat([first, second]), torch.cat([zeros, last]),
            torch.cat([y, torch.zeros_like(y)]), torch.cat([zeros, ones]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=64)
    args = parser.parse_args()

    torch.manual_seed(0)
    online = CategoricalQ(3, 2, atoms=31, low=-2.0, high=3.0)
    target = copy.deepcopy(online)
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    for step in range(args.steps):
        x, a, r, y, terminated = bandit_chain(args.batch)
        with torch.no_grad():
            goal = project(target, r, terminated, y, gamma=0.95)
        loss = -(goal * online.log_probs(x, a)).sum(dim=1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            target.load_state_dict(online.state_dict())
        if step % 400 == 0:
            with torch.no_grad():
                print(step, "loss %.4f" % loss.item(), "q", [round(v, 3) for v in online.q(torch.eye(3))[0].tolist()])


if __name__ == "__main__":
    main()
