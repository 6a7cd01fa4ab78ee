"""A small world model with an actor trained in imagination (Dreamer's shape).

Trap: KL balancing between posterior and prior, two kl_divergence terms with detached sides and a floor of free nats; no
reference model. Straight-through categorical latents are `sample + probs - probs.detach()`. The actor's return scale is the
range of percentiles, kept at least one.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical, kl_divergence

CLASSES, DETER, OBS, ACTIONS = 8, 32, 4, 3


def straight_through(logits):
    probs = F.softmax(logits, dim=-1)
    sample = F.one_hot(torch.multinomial(probs, 1).squeeze(-1), CLASSES).float()
    return sample + probs - probs.detach()


class WorldModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(CLASSES + ACTIONS, DETER)
        self.prior = nn.Linear(DETER, CLASSES)
        self.posterior = nn.Linear(DETER + OBS, CLASSES)
        self.decode = nn.Sequential(nn.Linear(DETER + CLASSES, 64), nn.ELU(), nn.Linear(64, OBS))
        self.reward = nn.Sequential(nn.Linear(DETER + CLASSES, 32), nn.ELU(), nn.Linear(32, 1))

    def start(self, count):
        return torch.zeros(count, DETER), torch.zeros(count, CLASSES)

    def forward(self, h, z, a):
        return self.cell(torch.cat([z, F.one_hot(a, ACTIONS).float()], dim=-1), h)

    def loss(self, observations, actions, rewards, free=0.1):
        h, z = self.start(observations.size(1))
        total, states = torch.zeros(()), []
        for x, a, r in zip(observations, actions, rewards):
            h = self(h, z, a)
            post, prior = self.posterior(torch.cat([h, x], dim=-1)), self.prior(h)
            z = straight_through(post)
            feature = torch.cat([h, z], dim=-1)
            dynamics = kl_divergence(Categorical(logits=post.detach()), Categorical(logits=prior)).mean()
            representation = kl_divergence(Categorical(logits=post), Categorical(logits=prior.detach())).mean()
            total = total + F.mse_loss(self.decode(feature), x) + F.mse_loss(self.reward(feature).squeeze(-1), r)
            total = total + 0.5 * dynamics.clamp(min=free) + 0.1 * representation.clamp(min=free)
            states.append((h.detach(), z.detach()))
        return total / len(actions), states


def collect(world, actor, count, steps):
    """The actor sees only what the world model makes of a ball on a beam."""
    position, speed = torch.randn(count), torch.zeros(count)
    (h, z), rows = world.start(count), []
    action = torch.ones(count, dtype=torch.long)
    with torch.no_grad():
        for _ in range(steps):
            x = torch.stack([position, speed, position.abs(), torch.ones(count)], dim=1)
            h = world(h, z, action)
            z = straight_through(world.posterior(torch.cat([h, x], dim=-1)))
            rows.append((x, action, -position.abs()))
            action = Categorical(logits=actor(torch.cat([h, z], dim=-1))).sample()
            speed = 0.9 * speed + 0.3 * (action - 1).float()
            position = position + 0.3 * speed
    return [torch.stack(column) for column in zip(*rows)]


def imagine(world, actor, critic, h, z, horizon, gamma=0.95, lam=0.9):
    features, logps, entropies, rewards = [], [], [], []
    for _ in range(horizon):
        feature = torch.cat([h, z], dim=-1)
        dist = Categorical(logits=actor(feature))
        action = dist.sample()
        with torch.no_grad():
            h = world(h, z, action)
            z = straight_through(world.prior(h))
            rewards.append(world.reward(torch.cat([h, z], dim=-1)).squeeze(-1))
        features.append(feature)
        logps.append(dist.log_prob(action))
        entropies.append(dist.entropy())
    with torch.no_grad():
        values = critic(torch.stack(features + [torch.cat([h, z], dim=-1)])).squeeze(-1)
        target, targets = values[-1], []
        for t in reversed(range(horizon)):
            target = rewards[t] + gamma * ((1 - lam) * values[t + 1] + lam * target)
            targets.insert(0, target)
        targets = torch.stack(targets)
        scale = torch.clamp(targets.quantile(0.95) - targets.quantile(0.05), min=1.0)
        advantages = (targets - values[:-1]) / scale
    actor_loss = -(torch.stack(logps) * advantages).mean() - 3e-3 * torch.stack(entropies).mean()
    critic_loss = F.mse_loss(critic(torch.stack(features)).squeeze(-1), targets)
    return actor_loss, critic_loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=150)
    args = parser.parse_args()
    torch.manual_seed(0)
    world = WorldModel()
    actor = nn.Sequential(nn.Linear(DETER + CLASSES, 64), nn.ELU(), nn.Linear(64, ACTIONS))
    critic = nn.Sequential(nn.Linear(DETER + CLASSES, 64), nn.ELU(), nn.Linear(64, 1))
    world_optimizer = torch.optim.Adam(world.parameters(), lr=2e-3)
    actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
    for iteration in range(args.iterations):
        observations, actions, rewards = collect(world, actor, count=16, steps=15)
        world_loss, states = world.loss(observations, actions, rewards)
        world_optimizer.zero_grad()
        world_loss.backward()
        world_optimizer.step()
        h, z = (torch.cat(part) for part in zip(*states))
        actor_loss, critic_loss = imagine(world, actor, critic, h, z, horizon=8)
        for optimizer, loss in ((actor_optimizer, actor_loss), (critic_optimizer, critic_loss)):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if iteration % 25 == 0:
            print(f"{iteration} reward {rewards.mean():.3f} world {world_loss.item():.3f} critic {critic_loss.item():.3f}")


if __name__ == "__main__":
    main()
