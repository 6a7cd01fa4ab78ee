"""PPO in plain functions, for one gymnasium environment."""

import argparse

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


def mlp(sizes):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


def policy_dist(actor, obs):
    logits = actor(obs)
    return Categorical(logits=logits)
    # bug DIST001: return Categorical(logits)


def collect(env, actor, critic, steps):
    obs_buf, act_buf, logp_buf, rew_buf, val_buf, next_val_buf, end_buf = [], [], [], [], [], [], []
    obs, _ = env.reset()
    episode_return, episode_returns = 0.0, []
    for _ in range(steps):
        obs_t = torch.as_tensor(obs, dtype=torch.float32)
        with torch.no_grad():
        # bug OBJ007, OBJ011: if True:
            dist = policy_dist(actor, obs_t)
            action = dist.sample()
            logp = dist.log_prob(action)
            value = critic(obs_t).squeeze(-1)
        next_obs, reward, terminated, truncated, _ = env.step(action.item())
        with torch.no_grad():
            next_value = critic(torch.as_tensor(next_obs, dtype=torch.float32)).squeeze(-1)
        obs_buf.append(obs_t)
        act_buf.append(action)
        logp_buf.append(logp)
        rew_buf.append(reward)
        val_buf.append(value)
        next_val_buf.append(next_value * (1.0 - float(terminated)))
        end_buf.append(float(terminated or truncated))
        episode_return += reward
        obs = next_obs
        if terminated or truncated:
            episode_returns.append(episode_return)
            episode_return = 0.0
            obs, _ = env.reset()
    rewards = torch.tensor(rew_buf, dtype=torch.float32)
    return (
        torch.stack(obs_buf),
        torch.stack(act_buf),
        torch.stack(logp_buf),
        rewards,
        torch.stack(val_buf),
        torch.stack(next_val_buf),
        torch.tensor(end_buf),
        episode_returns,
    )


def gae(rewards, values, next_values, ends, gamma, lam):
    advantages = torch.zeros_like(rewards)
    running = 0.0
    for t in range(len(rewards) - 1, -1, -1):
        delta = rewards[t] + gamma * next_values[t] - values[t]
        running = delta + gamma * lam * (1.0 - ends[t]) * running
        advantages[t] = running
    return advantages, advantages + values


def normalize(x, eps=1e-8):
    return (x - x.mean()) / (x.std() + eps)
    # bug ADV009: return (x - x.mean()) / x.std()


def ppo_loss(actor, obs, actions, old_logp, adv, clip, ent_coef):
    dist = policy_dist(actor, obs)
    logp = dist.log_prob(actions)
    ratio = (logp - old_logp).exp()  # found: OBJ007
    # bug OBJ001: ratio = logp - old_logp
    # bug OBJ020: ratio = (old_logp - logp).exp()
    surr1 = ratio * adv
    surr2 = ratio.clamp(1 - clip, 1 + clip) * adv  # found: OBJ011
    # bug OBJ022: surr2 = ratio.clamp(-clip, clip) * adv
    loss = -torch.min(surr1, surr2).mean()
    # bug OBJ002: loss = -torch.max(surr1, surr2).mean()
    return loss - ent_coef * dist.entropy().mean()
    # bug OBJ012: return loss + ent_coef * dist.entropy().mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="CartPole-v1")
    parser.add_argument("--steps", type=int, default=1024)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    parser.add_argument("--max-grad-norm", type=float, default=0.5)
    args = parser.parse_args()
    env = gym.make(args.env)
    actor = mlp([env.observation_space.shape[0], 64, 64, env.action_space.n])
    critic = mlp([env.observation_space.shape[0], 64, 64, 1])
    actor_opt = torch.optim.Adam(actor.parameters(), lr=3e-4)
    critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
    for it in range(args.iterations):
        obs, actions, old_logp, rewards, values, next_values, ends, returns = collect(env, actor, critic, args.steps)
        adv, targets = gae(rewards, values, next_values, ends, 0.99, 0.95)
        adv = normalize(adv)
        for _ in range(5):
            for idx in np.array_split(np.random.permutation(args.steps), 8):
                idx = torch.as_tensor(idx)
                loss = ppo_loss(actor, obs[idx], actions[idx], old_logp[idx], adv[idx], args.clip, args.ent_coef)
                actor_opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(actor.parameters(), args.max_grad_norm)
                # bug LOOP004: actor_opt.step()
                actor_opt.step()
                # and: nn.utils.clip_grad_norm_(actor.parameters(), args.max_grad_norm)
                value_loss = F.mse_loss(critic(obs[idx]).squeeze(-1), targets[idx])
                critic_opt.zero_grad()
                value_loss.backward()
                critic_opt.step()
        print(f"{it}: return {np.mean(returns):.1f}, value loss {value_loss.item():.3f}")


if __name__ == "__main__":
    main()
