"""Synchronous advantage actor-critic with n-step returns.

Trap: no ratio and no clip, and none is needed: each rollout is used for exactly one gradient step. The advantage is
detached in the actor's term. Nothing is normalised.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Drift:
    """Keep a drifting number near zero with three actions; an episode ends when it runs away."""

    def __init__(self, count):
        self.x = torch.zeros(count)

    def observe(self):
        return torch.stack([self.x, self.x.abs()], dim=-1)

    def step(self, action):
        self.x = self.x + 0.5 * (action - 1).float() + 0.4 * torch.randn_like(self.x)
        ended = self.x.abs() > 3.0
        reward = 1.0 - self.x.abs()
        self.x = torch.where(ended, torch.zeros_like(self.x), self.x)
        return self.observe(), reward, ended.float()


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 64), nn.ReLU())
        self.policy_head, self.value_head = nn.Linear(64, 3), nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        return self.policy_head(h), self.value_head(h).squeeze(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=500)
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--n-steps", type=int, default=8)
    parser.add_argument("--gamma", type=float, default=0.97)
    args = parser.parse_args()

    torch.manual_seed(0)
    env, model = Drift(args.envs), ActorCritic()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=7e-4, eps=1e-5)
    x = env.observe()

    for update in range(args.updates):
        logps, values, entropies, rewards, alive = [], [], [], [], []
        for _ in range(args.n_steps):
            logits, value = model(x)
            log_table = F.log_softmax(logits, dim=-1)
            table = log_table.exp()
            action = table.multinomial(1)
            logps.append(log_table.gather(1, action).squeeze(1))
            entropies.append(-(table * log_table).sum(dim=-1))
            values.append(value)
            x, reward, ended = env.step(action.squeeze(1))
            rewards.append(reward)
            alive.append(1.0 - ended)

        with torch.no_grad():
            target = model(x)[1]
        returns = []
        for reward, mask in zip(reversed(rewards), reversed(alive)):
            target = reward + args.gamma * target * mask
            returns.append(target)
        returns = torch.stack(returns[::-1])
        values, logps, entropies = torch.stack(values), torch.stack(logps), torch.stack(entropies)
        advantages = returns - values

        actor_loss = -(logps * advantages.detach()).mean()
        critic_loss = advantages.pow(2).mean()
        loss = actor_loss + 0.5 * critic_loss - 0.01 * entropies.mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        if update % 100 == 0:
            print(f"{update} reward {torch.stack(rewards).mean():.3f} entropy {entropies.mean().item():.3f}")


if __name__ == "__main__":
    main()
