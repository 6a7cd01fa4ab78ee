"""A reference that pays is no target network."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, n=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 32), nn.Tanh())
        self.out = nn.Linear(32, n)

    def forward(self, x):
        return self.out(self.body(x))


q = Net()
target = copy.deepcopy(q)
ref = copy.deepcopy(q).eval()
optimizer = torch.optim.Adam(q.parameters(), 1e-3)
def sync():
    for p, t in zip(q.parameters(), target.parameters()):
        t.data.lerp_(p.data, 0.01)


def learn(s, a, r, s2, done, gamma=0.99, beta=0.1):
    with torch.no_grad():
        shaped = r + gamma * ref(s2).max(1).values - ref(s).max(1).values
        y = shaped + gamma * (1 - done) * target(s2).max(1).values
    loss = F.mse_loss(q(s).gather(1, a[:, None])[:, 0], y)
    sync()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for _ in range(20):
    learn(torch.randn(16, 8), torch.randint(0, 4, (16,)), torch.randn(16), torch.randn(16, 8), torch.zeros(16))
