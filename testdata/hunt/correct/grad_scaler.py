"""PPO with torch's GradScaler and autocast, both off where there is no GPU."""
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(7)


class Target:
    def reset(self, n):
        self.goal = torch.randn(n, 2)
        return self.goal

    def step(self, a):
        return -(a - self.goal).pow(2).sum(-1)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 32), nn.Tanh())
        self.mean, self.value = nn.Linear(32, 2), nn.Linear(32, 1)
        self.log_std = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        h = self.body(x)
        return Normal(self.mean(h), self.log_std.exp()), self.value(h).squeeze(-1)


use_amp = torch.cuda.is_available()
env, agent = Target(), Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3)
scaler = torch.cuda.amp.GradScaler(enabled=use_amp)
for update in range(12):
    obs = env.reset(64)
    with torch.no_grad():
        dist, value = agent(obs)
        a = dist.sample()
        old = dist.log_prob(a).sum(-1)
    reward = env.step(a)
    advantage = reward - value
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    for epoch in range(3):
        with torch.cuda.amp.autocast(enabled=use_amp):
            dist, value = agent(obs)
            ratio = (dist.log_prob(a).sum(-1) - old).exp()
            loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
            loss = loss + 0.5 * (value - reward).pow(2).mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        scaler.step(optimizer)
        scaler.update()
print("reward %.3f" % reward.mean().item())
