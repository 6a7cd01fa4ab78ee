"""Importance-weighted policy gradient held back by a KL stop and an adaptive KL penalty, without any clip.

Trap: several epochs on one rollout and no clamp anywhere. The ratio is there (`torch.exp`), the KL to the old policy
is computed from the two distributions, and the loop stops once it exceeds the target; the coefficient adapts.
"""

import argparse
import math

import torch
import torch.nn as nn
from torch.distributions import Categorical, kl_divergence


class Pendulumish:
    """A discrete swing: push left, wait or push right; reward is height."""

    def __init__(self, count):
        self.count = count

    def reset(self):
        self.angle = math.pi + 0.1 * torch.randn(self.count)
        self.speed = torch.zeros(self.count)
        return self.observe()

    def observe(self):
        return torch.stack([self.angle.cos(), self.angle.sin(), self.speed / 4], dim=-1)

    def step(self, action):
        torque = (action - 1).float() * 2.0
        self.speed = (self.speed + 0.1 * (5.0 * self.angle.sin() + torque)).clamp(-4, 4)
        self.angle = self.angle + 0.1 * self.speed
        return self.observe(), self.angle.cos()


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 3))

    def forward(self, x):
        return Categorical(logits=self.body(x))


def discounted(rewards, gamma):
    """Return rewards to go over a fixed horizon, shape (T, N)."""
    out = torch.zeros_like(rewards)
    running = torch.zeros(rewards.size(1))
    for t in range(rewards.size(0) - 1, -1, -1):
        running = rewards[t] + gamma * running
        out[t] = running
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--horizon", type=int, default=64)
    parser.add_argument("--target-kl", type=float, default=0.02)
    args = parser.parse_args()

    torch.manual_seed(0)
    env, actor = Pendulumish(args.envs), Actor()
    critic = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 1))
    actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=2e-3)
    penalty = 1.0

    for iteration in range(args.iterations):
        observations, actions, rewards = [], [], []
        x = env.reset()
        with torch.no_grad():
            for _ in range(args.horizon):
                a = actor(x).sample()
                observations.append(x)
                actions.append(a)
                x, r = env.step(a)
                rewards.append(r)
            observations, actions, rewards = map(torch.stack, (observations, actions, rewards))
            returns = discounted(rewards, 0.97)
            advantages = returns - critic(observations).squeeze(-1)
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
            before = actor(observations)
            old_logp = before.log_prob(actions)

        for epoch in range(20):
            after = actor(observations)
            ratio = torch.exp(after.log_prob(actions) - old_logp)
            kl = kl_divergence(before, after).mean()
            if kl.item() > 1.5 * args.target_kl:
                break
            loss = -(ratio * advantages).mean() + penalty * kl
            actor_optimizer.zero_grad()
            loss.backward()
            actor_optimizer.step()
        if kl.item() > 1.5 * args.target_kl:
            penalty = min(penalty * 2.0, 100.0)
        elif kl.item() < args.target_kl / 1.5:
            penalty = max(penalty / 2.0, 1e-3)

        for _ in range(20):
            value_loss = (critic(observations).squeeze(-1) - returns).pow(2).mean()
            critic_optimizer.zero_grad()
            value_loss.backward()
            critic_optimizer.step()
        if iteration % 5 == 0:
            print(f"{iteration} height {rewards.mean():.3f} kl {kl.item():.4f} epochs {epoch + 1} penalty {penalty:.3f}")


if __name__ == "__main__":
    main()
