"""Transfer: layers are replaced, frozen and re-initialised, and the optimiser is built last.

Trap: `model.head = nn.Linear(...)` appears after an optimiser was made, but that optimiser belongs to the first phase and is
built anew afterwards. Another function replaces a layer of a different model. In-place re-initialisation keeps the tensors.
"""

import argparse

import torch
import torch.nn as nn
from torch.distributions import Categorical


class Agent(nn.Module):
    def __init__(self, inputs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.head = nn.Linear(64, actions)
        self.value = nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.head(h)), self.value(h).squeeze(-1)


def task(actions):
    direction = torch.randn(6, actions, generator=torch.Generator().manual_seed(actions))
    def sample(count):
        x = torch.randn(count, 6)
        return x, (x @ direction).argmax(dim=1)
    return sample


def train(agent, optimizer, sample, updates):
    for update in range(updates):
        x, best = sample(128)
        dist, value = agent(x)
        action = dist.sample()
        reward = (action == best).float()
        advantage = reward - value.detach()
        loss = -(dist.log_prob(action) * advantage).mean() + 0.5 * (value - reward).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return reward.mean().item()


def distilled(agent):
    """Return a small student whose last layer is replaced before anything optimises it."""
    student = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
    student[2] = nn.Linear(16, agent.head.out_features)
    optimizer = torch.optim.Adam(student.parameters(), lr=5e-3)
    for _ in range(50):
        x = torch.randn(128, 6)
        with torch.no_grad():
            wanted = agent(x)[0].probs
        loss = -(wanted * student(x).log_softmax(dim=-1)).sum(dim=-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=200)
    args = parser.parse_args()
    torch.manual_seed(0)
    agent = Agent(6, 3)
    nn.init.orthogonal_(agent.head.weight, 0.01)
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3)
    print("first task", train(agent, optimizer, task(3), args.updates))

    agent.head = nn.Linear(64, 5)
    agent.body.requires_grad_(False)
    optimizer = torch.optim.Adam([p for p in agent.parameters() if p.requires_grad], lr=3e-3)
    print("second task, new head", train(agent, optimizer, task(5), args.updates))

    agent.body.requires_grad_(True)
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    with torch.no_grad():
        agent.value.weight.zero_()
        agent.value.bias.fill_(0.2)
    print("second task, all layers", train(agent, optimizer, task(5), args.updates))
    print("distillation loss", distilled(agent))


if __name__ == "__main__":
    main()
