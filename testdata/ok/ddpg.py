"""DDPG with Ornstein-Uhlenbeck noise and polyak-averaged targets.

Trap: the actor's loss is -Q with the gradient flowing through the action; parameters are written in place through
`.data` and lerp_, after the optimisers were built: values change, the tensors stay. The noise is one sample an action
dimension.
"""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Spring:
    """A spring is to be held at rest by a bounded force; episodes are cut after 50 steps."""

    limit = 50

    def reset(self):
        self.state, self.clock = torch.randn(2), 0
        return self.state.clone()

    def step(self, force):
        x, v = self.state
        v = v + 0.2 * (-x - 0.1 * v + 2.0 * force.clamp(-1, 1).squeeze())
        x = x + 0.2 * v
        self.state, self.clock = torch.stack([x, v]), self.clock + 1
        return self.state.clone(), -(x * x + 0.1 * v * v).item(), self.clock >= self.limit


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(2, 48), nn.Linear(48, 1)

    def forward(self, x):
        return torch.tanh(self.fc2(F.relu(self.fc1(x))))


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(3, 48), nn.Linear(48, 1)

    def forward(self, x, a):
        return self.fc2(F.relu(self.fc1(torch.cat([x, a], dim=-1)))).squeeze(-1)


class OrnsteinUhlenbeck:
    def __init__(self, size, theta=0.15, sigma=0.2):
        self.theta, self.sigma, self.value = theta, sigma, torch.zeros(size)

    def __call__(self):
        self.value = self.value - self.theta * self.value + self.sigma * torch.randn_like(self.value)
        return self.value


def soft_update(target, source, tau):
    with torch.no_grad():
        for slow, fast in zip(target.parameters(), source.parameters()):
            slow.data.lerp_(fast.data, tau)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--tau", type=float, default=0.01)
    parser.add_argument("--gamma", type=float, default=0.97)
    args = parser.parse_args()

    torch.manual_seed(0)
    env, noise = Spring(), OrnsteinUhlenbeck(1)
    actor, critic = Actor(), Critic()
    target_actor, target_critic = copy.deepcopy(actor), copy.deepcopy(critic)
    actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
    memory, x, total, history = [], env.reset(), 0.0, []

    for step in range(args.steps):
        with torch.no_grad():
            a = (actor(x.unsqueeze(0)).squeeze(0) + noise()).clamp(-1, 1)
        y, r, truncated = env.step(a)
        memory.append(torch.cat([x, a, torch.tensor([r]), y]))
        total += r
        x = y
        if truncated:
            history.append(total)
            x, total = env.reset(), 0.0
        if step < 200:
            continue

        rows = torch.stack([memory[i] for i in torch.randint(len(memory), (64,)).tolist()])
        bx, ba, br, by = rows.split([2, 1, 1, 2], dim=1)
        with torch.no_grad():
            # The spring never terminates; cutting an episode is no reason to stop the bootstrap.
            goal = br.squeeze(1) + args.gamma * target_critic(by, target_actor(by))
        critic_loss = F.mse_loss(critic(bx, ba), goal)
        critic_optimizer.zero_grad()
        critic_loss.backward()
        critic_optimizer.step()

        for parameter in critic.parameters():
            parameter.requires_grad_(False)
        actor_loss = -critic(bx, actor(bx)).mean()
        actor_optimizer.zero_grad()
        actor_loss.backward()
        actor_optimizer.step()
        for parameter in critic.parameters():
            parameter.requires_grad_(True)

        soft_update(target_actor, actor, args.tau)
        soft_update(target_critic, critic, args.tau)
        if step % 500 == 0:
            print(f"{step} return {sum(history[-5:]) / max(1, len(history[-5:])):.2f} critic {critic_loss.item():.4f}")


if __name__ == "__main__":
    main()
