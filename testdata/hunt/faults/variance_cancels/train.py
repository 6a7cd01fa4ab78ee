# kind: forward; seeds: 0,1; failing: 0,1
"""PPO with a running scale of returns, from the mean of squares minus the square of the mean."""
import torch
from torch import nn

torch.manual_seed(6)


class Ledge:
    """Rewards are near a thousand and hardly differ."""

    def reset(self, n):
        self.x = torch.randn(n, 2)
        return self.x

    def step(self, a):
        return 1000.0 + 0.01 * (a.float() * 2 - 1) * self.x[:, 0].sign()


class Scale:
    """Deviation of what was seen so far, from two sums."""

    def __init__(self):
        self.n, self.total, self.squares = 0, torch.zeros(()), torch.zeros(())

    def update(self, x):
        self.n += x.numel()
        self.total = self.total + x.sum()
        self.squares = self.squares + x.pow(2).sum()

    def __call__(self, x):
        mean = self.total / self.n
        variance = self.squares / self.n - mean * mean
        return (x - mean) / (torch.sqrt(variance) + 1e-4)  # first bad


env, scale = Ledge(), Scale()
policy, value = nn.Linear(2, 2), nn.Linear(2, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-2)
for update in range(6):
    obs = env.reset(32)
    with torch.no_grad():
        old = torch.log_softmax(policy(obs), -1)
        a = torch.multinomial(old.exp(), 1)
        old = old.gather(1, a).squeeze(1)
    reward = env.step(a.squeeze(1))
    scale.update(reward)
    returns = scale(reward)
    for _ in range(2):
        v = value(obs).squeeze(1)
        ratio = (torch.log_softmax(policy(obs), -1).gather(1, a).squeeze(1) - old).exp()
        advantage = (returns - v).detach()
        surrogate = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
        loss = -surrogate.mean() + 0.5 * (returns - v).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
