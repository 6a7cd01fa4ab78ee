"""PPO with Independent(Normal, 1), a state-dependent scale and a running observation filter.

Trap: log_prob of Independent is already summed, so there is no `.sum(-1)`. The running filter divides by
sqrt(var + eps): the epsilon is inside the root. Softplus plus a floor bounds the scale away from zero.
"""

import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Independent, Normal


class RunningFilter:
    """Mean and variance by Chan's update; normalises with an epsilon inside the square root."""

    def __init__(self, size, eps=1e-8):
        self.mean, self.var, self.count, self.eps = torch.zeros(size), torch.ones(size), 1e-4, eps

    def update(self, x):
        mean, var, n = x.mean(0), x.var(0, unbiased=False), x.size(0)
        delta, total = mean - self.mean, self.count + n
        self.mean = self.mean + delta * n / total
        self.var = (self.var * self.count + var * n + delta.pow(2) * self.count * n / total) / total
        self.count = total

    def __call__(self, x):
        return ((x - self.mean) / torch.sqrt(self.var + self.eps)).clamp(-10, 10)


class PointMass:
    """A point in the plane is pushed towards the origin."""

    def __init__(self, count):
        self.state = 4 * torch.randn(count, 4)

    def step(self, force):
        position, speed = self.state.split(2, dim=-1)
        speed = 0.9 * speed + 0.3 * force.clamp(-1, 1)
        position = position + 0.3 * speed
        self.state = torch.cat([position, speed], dim=-1)
        return self.state, 0.1 * (1.0 - position.norm(dim=-1)) - 0.005 * force.pow(2).sum(-1)


class Actor(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 2 * outputs))

    def forward(self, x):
        loc, raw = self.net(x).chunk(2, dim=-1)
        return Independent(Normal(loc, F.softplus(raw) + 1e-3), 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--horizon", type=int, default=40)
    args = parser.parse_args()

    torch.manual_seed(6)
    actor, critic = Actor(4, 2), nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)
    observe = RunningFilter(4)
    gamma, lam, clip = 0.97, 0.95, 0.2

    for iteration in range(args.iterations):
        env = PointMass(args.envs)
        raw = [env.state]
        xs, actions, logps, rewards = [], [], [], []
        with torch.no_grad():
            for _ in range(args.horizon):
                x = observe(raw[-1])
                dist = actor(x)
                a = dist.sample()
                state, r = env.step(a)
                xs.append(x)
                actions.append(a)
                logps.append(dist.log_prob(a))
                rewards.append(r)
                raw.append(state)
            values = critic(torch.stack(xs + [observe(raw[-1])])).squeeze(-1)
            carry, advantages = torch.zeros(args.envs), []
            for t in reversed(range(args.horizon)):
                carry = rewards[t] + gamma * values[t + 1] - values[t] + gamma * lam * carry
                advantages.insert(0, carry)
            advantages = torch.stack(advantages)
            returns = advantages + values[:-1]
            advantages = (advantages - advantages.mean()) / (advantages.var() + 1e-8).sqrt()
        observe.update(torch.cat(raw))

        data = [torch.stack(xs), torch.stack(actions), torch.stack(logps), advantages, returns]
        data = [part.flatten(0, 1) for part in data]
        for _ in range(5):
            for index in torch.randperm(args.envs * args.horizon).chunk(4):
                x, a, old, adv, ret = (part[index] for part in data)
                dist = actor(x)
                ratio = torch.exp(dist.log_prob(a) - old)
                surrogate = torch.min(ratio * adv, torch.clamp(ratio, 1 - clip, 1 + clip) * adv)
                value_loss = F.mse_loss(critic(x).squeeze(-1), ret)
                loss = -surrogate.mean() + 0.5 * value_loss - 1e-3 * dist.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        if iteration % 10 == 0:
            print(f"{iteration} reward {torch.stack(rewards).mean():.3f} value loss {value_loss.item():.3f}")


if __name__ == "__main__":
    main()
