# kind: gradient; seeds: 0,1; failing: 0,1
"""DQN with radial units on a mountain car of its own."""
import random

import torch
from torch import nn
from torch.nn import functional as F

from layers import RadialUnits

random.seed(1)
torch.manual_seed(1)


class Car:
    """A car in a valley; three throttles."""

    def reset(self):
        self.x, self.v, self.t = random.uniform(-0.6, -0.4), 0.0, 0
        return [self.x, self.v]

    def step(self, a):
        self.v = max(-0.07, min(0.07, self.v + 0.002 * (a - 1) - 0.0025 * torch.cos(torch.tensor(3 * self.x)).item()))
        self.x = max(-1.2, self.x + self.v)
        self.t += 1
        return [self.x, self.v], self.x + 0.5, self.x >= 0.5 or self.t >= 60


def network():
    return nn.Sequential(RadialUnits(2, 32), nn.Linear(32, 3))


env, online, frozen = Car(), network(), network()
frozen.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
memory, updates = [], 0
for episode in range(4):
    obs, done = env.reset(), False
    while not done:
        if random.random() < 0.2:
            action = random.randrange(3)
        else:
            with torch.no_grad():
                action = online(torch.tensor([obs])).argmax().item()
        after, reward, done = env.step(action)
        memory.append((obs, action, reward, after, float(done)))
        obs = after
        if len(memory) < 64:
            continue
        batch = [torch.tensor(c) for c in zip(*random.sample(memory, 32))]
        with torch.no_grad():
            target = batch[2] + 0.98 * (1 - batch[4]) * frozen(batch[3]).max(1).values
        q = online(batch[0]).gather(1, batch[1].unsqueeze(1)).squeeze(1)
        loss = F.smooth_l1_loss(q, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        updates += 1
        if updates % 40 == 0:
            frozen.load_state_dict(online.state_dict())
print("updates", updates)
