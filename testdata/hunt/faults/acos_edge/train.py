# kind: backward; seeds: 0,1; failing: 0,1
"""Model-based control of a drone: the policy learns through the simulator."""
import random

import torch
from torch import nn

from layers import Heading, angle_between

random.seed(0)
torch.manual_seed(0)
WINDS = torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [-1.0, 1.0], [-1.0, 0.0], [-1.0, -1.0], [0.0, -1.0], [1.0, -1.0]])


class Drone:
    """Fly towards the wind's source."""

    def reset(self, n):
        self.source = WINDS[torch.randint(8, (n,))]
        self.place = torch.zeros(n, 2)
        return self.observe()

    def observe(self):
        return torch.cat([self.place, self.source], -1)

    def step(self, heading):
        self.place = self.place + 0.1 * heading
        cost = angle_between(heading, self.source) + 0.01 * heading.pow(2).sum(-1)
        return self.observe(), cost


env = Drone()
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), Heading(16))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
for episode in range(20):
    obs, total = env.reset(8), 0.0
    for t in range(2):
        obs, cost = env.step(policy(obs))
        total = total + cost.mean()
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    print("episode %d cost %.4f" % (episode, total.item()))
