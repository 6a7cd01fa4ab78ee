"""PPO with a diagonal Gaussian policy.

Trap: densities of continuous distributions exceed one, so log-probs may be positive; they are summed over the
action axis before the ratio is formed. The log standard deviation is a parameter, exponentiated once. The actor's
tanh bounds the mean, not the sample, so no change-of-variables term is due.
"""

import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.distributions.normal import Normal


class GaussianActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        self.mean = nn.Sequential(nn.Linear(obs_dim, 64), nn.Tanh(), nn.Linear(64, act_dim), nn.Tanh())
        self.logstd = nn.Parameter(torch.full((1, act_dim), -0.5))

    def evaluate(self, obs, action=None):
        mean = self.mean(obs)
        dist = Normal(mean, self.logstd.expand_as(mean).exp())
        if action is None:
            action = dist.sample()
        return action, dist.log_prob(action).sum(-1), dist.entropy().sum(-1), self.critic(obs).squeeze(-1)


def collect(env, model, obs, steps, low, high, gamma):
    rows = []
    for _ in range(steps):
        state = torch.as_tensor(obs, dtype=torch.float32).unsqueeze(0)
        with torch.no_grad():
            action, logp, _, value = model.evaluate(state)
        squashed = low + 0.5 * (np.clip(action.numpy()[0], -1.0, 1.0) + 1.0) * (high - low)
        obs, reward, terminated, truncated, _ = env.step(squashed.astype(np.float32))
        if truncated and not terminated:
            with torch.no_grad():
                reward += gamma * model.critic(torch.as_tensor(obs, dtype=torch.float32)).item()
        rows.append((state, action, logp, value, torch.tensor([reward], dtype=torch.float32),
                     torch.tensor([float(terminated or truncated)])))
        if terminated or truncated:
            obs, _ = env.reset()
    return obs, [torch.cat(column) for column in zip(*rows)]


def gae(rewards, values, ends, last_value, gamma, lam):
    advantages = torch.zeros_like(rewards)
    carry = torch.zeros(())
    for t in reversed(range(len(rewards))):
        following = last_value if t == len(rewards) - 1 else values[t + 1]
        delta = rewards[t] + gamma * following * (1 - ends[t]) - values[t]
        carry = delta + gamma * lam * (1 - ends[t]) * carry
        advantages[t] = carry
    return advantages


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="Reacher-v4")
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--steps", type=int, default=1024)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = gym.make(args.env)
    obs, _ = env.reset(seed=args.seed)
    low, high = env.action_space.low, env.action_space.high
    model = GaussianActorCritic(env.observation_space.shape[0], env.action_space.shape[0])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)

    for update in range(args.updates):
        obs, (states, actions, logps, values, rewards, ends) = collect(env, model, obs, args.steps, low, high, args.gamma)
        with torch.no_grad():
            last_value = model.critic(torch.as_tensor(obs, dtype=torch.float32)).squeeze(-1)
            advantages = gae(rewards, values, ends, last_value, args.gamma, 0.95)
            returns = advantages + values
        for _ in range(10):
            for index in torch.randperm(args.steps).split(64):
                _, new_logp, entropy, new_value = model.evaluate(states[index], actions[index])
                ratio = (new_logp - logps[index]).exp()
                adv = advantages[index]
                if adv.numel() > 1:
                    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                policy_loss = -torch.min(ratio * adv, ratio.clamp(1 - args.clip, 1 + args.clip) * adv).mean()
                loss = policy_loss + 0.5 * (new_value - returns[index]).square().mean() - 1e-3 * entropy.mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
        print(f"update {update} reward {rewards.mean():.3f} std {model.logstd.exp().mean().item():.3f}")


if __name__ == "__main__":
    main()
