# kind: forward; seeds: 0,1,2; failing: 1
"""Actor-critic for a herd of agents that share one network; agents that fall are out."""
import torch
from torch import nn

from layers import AgentNorm

torch.manual_seed(2)


class Herd:
    """Agents on a ledge: each goes left or right, and falls off beyond two."""

    def reset(self, n=3):
        self.where = torch.zeros(n)
        return self.where[:, None]

    def step(self, actions):
        self.where = self.where + (actions.float() * 2 - 1) * torch.rand(len(actions))
        alive = self.where.abs() < 2
        self.where = self.where[alive]
        return self.where[:, None], alive


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Linear(1, 12), AgentNorm(12)
        self.pi, self.v = nn.Linear(12, 2), nn.Linear(12, 1)

    def forward(self, x):
        h = torch.relu(self.norm(self.first(x)))
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


env, net = Herd(), Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for episode in range(3):
    obs = env.reset()
    for t in range(6):
        dist, value = net(obs)
        actions = dist.sample()
        obs, alive = env.step(actions)
        reward = alive.float()
        advantage = reward - value
        loss = -(dist.log_prob(actions) * advantage.detach()).mean() + advantage.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if len(obs) == 0:
            break
    print(episode, t, len(obs))
