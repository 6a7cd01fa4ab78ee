"""Curiosity: PPO with the prediction error of a random network as a second reward.

Trap: a frozen random network named `target` is evaluated and is no reference policy: it reaches the reward through the
predictor's error. Intrinsic rewards are divided by the root of a running variance whose start value is one and which has
an epsilon.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


class Maze:
    """Two rooms of 5 by 5 joined by one door; there is no reward but what is found."""

    def __init__(self, count):
        self.count, self.place = count, torch.zeros(count, 2, dtype=torch.long)

    def observe(self):
        return self.place.float() / 5.0

    def step(self, action):
        move = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])[action]
        going = self.place + move
        wall = (going[:, 0] == 5) & (going[:, 1] != 2)
        going = torch.where(wall.unsqueeze(1), self.place, going)
        self.place = torch.stack([going[:, 0].clamp(0, 10), going[:, 1].clamp(0, 4)], dim=1)
        return self.observe(), torch.zeros(self.count)


class RunningVariance:
    def __init__(self):
        self.mean, self.var, self.count = 0.0, 1.0, 1e-4

    def update(self, x):
        mean, var, n = x.mean().item(), x.var(unbiased=False).item(), x.numel()
        delta, total = mean - self.mean, self.count + n
        self.var = (self.var * self.count + var * n + delta * delta * self.count * n / total) / total
        self.mean, self.count = self.mean + delta * n / total, total


class RND(nn.Module):
    def __init__(self):
        super().__init__()
        self.target = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 16)).requires_grad_(False)
        self.predictor = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, x):
        with torch.no_grad():
            goal = self.target(x)
        return (self.predictor(x) - goal).pow(2).mean(dim=-1)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 64), nn.Tanh())
        self.pi, self.v = nn.Linear(64, 4), nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--horizon", type=int, default=32)
    parser.add_argument("--intrinsic", type=float, default=0.5)
    args = parser.parse_args()

    torch.manual_seed(0)
    env, agent, rnd, scale = Maze(16), ActorCritic(), RND(), RunningVariance()
    optimizer = torch.optim.Adam([*agent.parameters(), *rnd.predictor.parameters()], lr=1e-3)
    x, seen = env.observe(), set()
    for iteration in range(args.iterations):
        xs, actions, logps, values, rewards = [], [], [], [], []
        with torch.no_grad():
            for _ in range(args.horizon):
                dist, value = agent(x)
                a = dist.sample()
                y, extrinsic = env.step(a)
                curiosity = rnd(y)
                scale.update(curiosity)
                xs.append(x)
                actions.append(a)
                logps.append(dist.log_prob(a))
                values.append(value)
                rewards.append(extrinsic + args.intrinsic * curiosity / (scale.var + 1e-8) ** 0.5)
                seen.update(map(tuple, env.place.tolist()))
                x = y
            values.append(agent(x)[1])
            carry, advantages = torch.zeros(16), []
            for t in reversed(range(args.horizon)):
                carry = rewards[t] + 0.97 * values[t + 1] - values[t] + 0.97 * 0.95 * carry
                advantages.insert(0, carry)
            advantages = torch.stack(advantages)
            returns = advantages + torch.stack(values[:-1])
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        batch = [torch.stack(p).flatten(0, 1) for p in (xs, actions, logps)] + [advantages.flatten(), returns.flatten()]

        for _ in range(4):
            for index in torch.randperm(16 * args.horizon).chunk(4):
                bx, ba, old, adv, ret = (part[index] for part in batch)
                dist, value = agent(bx)
                ratio = (dist.log_prob(ba) - old).exp()
                policy_loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
                loss = policy_loss + 0.5 * F.mse_loss(value, ret) - 0.01 * dist.entropy().mean() + rnd(bx).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        if iteration % 10 == 0:
            print(f"{iteration} places seen {len(seen)} curiosity {curiosity.mean():.5f} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
