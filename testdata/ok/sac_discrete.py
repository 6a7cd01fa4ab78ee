"""SAC for discrete actions.

Trap: probabilities and log-probabilities are both used, `probs * (alpha * log_probs - q)`; the softmax is over the
last axis and Categorical gets probabilities as its first argument. The log is taken of probabilities plus a small
constant where they are exactly zero.
"""

import argparse
import copy

import torch
import torch.nn as nn
from torch.distributions import Categorical


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, outputs))


class DiscretePolicy(nn.Module):
    def __init__(self, inputs, actions):
        super().__init__()
        self.net = mlp(inputs, actions)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        probs = self.softmax(self.net(x))
        log_probs = torch.log(probs + (probs == 0.0).float() * 1e-8)
        action = Categorical(probs).sample()
        return action, probs, log_probs


class Twin(nn.Module):
    def __init__(self, inputs, actions):
        super().__init__()
        self.one, self.two = mlp(inputs, actions), mlp(inputs, actions)

    def forward(self, x):
        return self.one(x), self.two(x)

    def least(self, x):
        return torch.min(*self(x))


class Thermostat:
    """Keep the temperature near a target with heat, cool or off; it never ends."""

    def __init__(self):
        self.value, self.goal = torch.randn(()), torch.zeros(())

    def observe(self):
        return torch.stack([self.value, self.goal])

    def step(self, action):
        self.value = 0.95 * self.value + 0.3 * (action - 1) + 0.05 * torch.randn(())
        if torch.rand(()) < 0.02:
            self.goal = torch.randn(())
        return self.observe(), -(self.value - self.goal).abs().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--gamma", type=float, default=0.95)
    args = parser.parse_args()

    torch.manual_seed(0)
    env = Thermostat()
    policy, critic = DiscretePolicy(2, 3), Twin(2, 3)
    target = copy.deepcopy(critic).requires_grad_(False)
    policy_optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
    log_alpha = nn.Parameter(torch.tensor(-2.0))
    alpha_optimizer = torch.optim.Adam([log_alpha], lr=1e-3)
    target_entropy = 0.5 * torch.log(torch.tensor(3.0)).item()
    memory, x, rewards = [], env.observe(), []

    for step in range(args.steps):
        with torch.no_grad():
            action, _, _ = policy(x.unsqueeze(0))
        y, reward = env.step(action.item())
        memory.append((x, action, torch.tensor([reward]), y))
        rewards.append(reward)
        x = y
        if step < 200:
            continue
        chosen = [memory[i] for i in torch.randint(len(memory), (64,)).tolist()]
        bx, ba, br, by = (torch.stack(column) for column in zip(*chosen))
        alpha = log_alpha.exp().detach()

        with torch.no_grad():
            _, probs, log_probs = policy(by)
            value = (probs * (target.least(by) - alpha * log_probs)).sum(dim=-1, keepdim=True)
            goal = br + args.gamma * value
        critic_loss = sum((q.gather(1, ba) - goal).pow(2).mean() for q in critic(bx))
        critic_optimizer.zero_grad()
        critic_loss.backward()
        critic_optimizer.step()

        _, probs, log_probs = policy(bx)
        with torch.no_grad():
            q = critic.least(bx)
        policy_loss = (probs * (alpha * log_probs - q)).sum(dim=-1).mean()
        policy_optimizer.zero_grad()
        policy_loss.backward()
        policy_optimizer.step()

        entropy = -(probs * log_probs).sum(dim=-1).detach()
        alpha_loss = (log_alpha.exp() * (entropy - target_entropy)).mean()
        alpha_optimizer.zero_grad()
        alpha_loss.backward()
        alpha_optimizer.step()

        with torch.no_grad():
            for slow, fast in zip(target.parameters(), critic.parameters()):
                slow.mul_(0.99).add_(fast, alpha=0.01)
        if step % 500 == 0:
            print(f"{step} reward {sum(rewards[-200:]) / 200:.3f} alpha {alpha.item():.4f} entropy {entropy.mean():.3f}")


if __name__ == "__main__":
    main()
