# kind: forward; seeds: 0,1; failing: 0,1
"""Distils a teacher into a student by the KL divergence of their action probabilities."""
import torch
import torch.nn as nn

torch.manual_seed(9)
ACTIONS = 5


class Walk:
    def reset(self, n):
        self.x = torch.randn(n, 3)
        return self.x

    def step(self, a):
        self.x = 0.9 * self.x + 0.1 * torch.nn.functional.one_hot(a, ACTIONS)[:, :3]
        return self.x, self.x.sum(1)


class Teacher(nn.Module):
    """Leaves out actions that it finds a hundred times worse than the best."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, ACTIONS)
        nn.init.normal_(self.net.weight, std=2.5)

    @torch.no_grad()
    def forward(self, x):
        p = torch.softmax(self.net(x), -1)
        p = torch.where(p < 0.01 * p.max(-1, keepdim=True).values, torch.zeros_like(p), p)
        return p / p.sum(-1, keepdim=True)


def divergence(student, teacher):
    """KL(student || teacher)."""
    log_ratio = student.log() - teacher.log()  # first bad
    return (student * log_ratio).sum(-1)


env, teacher = Walk(), Teacher()
student = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, ACTIONS), nn.Softmax(-1))
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
for episode in range(10):
    x = env.reset(16)
    for t in range(4):
        p = student(x)
        a = torch.multinomial(p.detach(), 1).squeeze(1)
        loss = divergence(p, teacher(x)).mean() - 0.01 * p.gather(1, a[:, None]).log().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        x, _ = env.step(a)
    print(episode, loss.item())
