"""PPO over several discrete choices at once.

Trap: one head emits the logits of all choices; they are split into one Categorical each, and their log-probs are
stacked and summed. The list comprehensions over distributions hide log_prob and entropy. The clipped surrogate is
written as `ratio.clamp(1 - eps, 1 + eps)` with eps annealed from the progress of training.
"""

import argparse

import torch
import torch.nn as nn
from torch.distributions import Categorical

CHOICES = [3, 2, 4]


class Warehouse:
    """Match three settings to the three codes shown; reward is the share of matches."""

    def __init__(self, count):
        self.count = count

    def observe(self):
        self.codes = torch.stack([torch.randint(0, n, (self.count,)) for n in CHOICES], dim=1)
        scaled = self.codes.float() / torch.tensor([float(n - 1) for n in CHOICES])
        return scaled + 0.05 * torch.randn_like(scaled)

    def reward(self, actions):
        return (actions == self.codes).float().mean(dim=1)


class MultiHeadPolicy(nn.Module):
    def __init__(self, observations, choices):
        super().__init__()
        self.choices = choices
        self.shared = nn.Sequential(nn.Linear(observations, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.actor = nn.Linear(64, sum(choices))
        self.critic = nn.Linear(64, 1)

    def distributions(self, features):
        return [Categorical(logits=part) for part in self.actor(features).split(self.choices, dim=-1)]

    def act(self, x):
        features = self.shared(x)
        heads = self.distributions(features)
        actions = torch.stack([head.sample() for head in heads], dim=-1)
        return actions, self.joint_log_prob(heads, actions), self.critic(features).squeeze(-1)

    def evaluate(self, x, actions):
        features = self.shared(x)
        heads = self.distributions(features)
        entropy = torch.stack([head.entropy() for head in heads]).sum(0)
        return self.joint_log_prob(heads, actions), entropy, self.critic(features).squeeze(-1)

    @staticmethod
    def joint_log_prob(heads, actions):
        return torch.stack([head.log_prob(action) for head, action in zip(heads, actions.unbind(-1))], dim=-1).sum(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--clip", type=float, default=0.2)
    args = parser.parse_args()

    torch.manual_seed(8)
    env = Warehouse(args.batch)
    policy = MultiHeadPolicy(len(CHOICES), CHOICES)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)

    for iteration in range(args.iterations):
        progress = iteration / args.iterations
        clip = args.clip * (1.0 - 0.5 * progress)
        x = env.observe()
        with torch.no_grad():
            actions, old_logp, values = policy.act(x)
        rewards = env.reward(actions)
        advantages = rewards - values
        spread = advantages.std(unbiased=False)
        advantages = (advantages - advantages.mean()) / torch.clamp(spread, min=1e-4)

        for _ in range(4):
            logp, entropy, value = policy.evaluate(x, actions)
            ratio = torch.exp(logp - old_logp)
            first, second = ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages
            loss = -torch.minimum(first, second).mean()
            loss += 0.5 * (value - rewards).pow(2).mean()
            loss -= 0.005 * entropy.mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
        if iteration % 25 == 0:
            print(f"{iteration}: reward {rewards.mean():.3f} entropy {entropy.mean().item():.3f}")


if __name__ == "__main__":
    main()
