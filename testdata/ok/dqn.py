"""DQN with a replay buffer and a hard-updated target network.

Trap: `argmax` acts, `max` bootstraps from the target network under no_grad, and only real termination stops the
bootstrap: truncation ends the episode's loop and nothing else.
"""

import argparse
import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class QNetwork(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(observations, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, actions))

    def forward(self, x):
        return self.network(x)


class Replay:
    def __init__(self, capacity):
        self.storage = deque(maxlen=capacity)

    def __len__(self):
        return len(self.storage)

    def add(self, *transition):
        self.storage.append(transition)

    def sample(self, size):
        obs, actions, rewards, next_obs, terminated = zip(*random.sample(self.storage, size))
        return (torch.as_tensor(np.stack(obs)), torch.tensor(actions), torch.tensor(rewards, dtype=torch.float32),
                torch.as_tensor(np.stack(next_obs)), torch.tensor(terminated, dtype=torch.float32))


def linear_schedule(start, end, duration, t):
    return max(start + (end - start) / duration * t, end)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--total-timesteps", type=int, default=100_000)
    parser.add_argument("--learning-starts", type=int, default=1000)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--target-frequency", type=int, default=500)
    parser.add_argument("--train-frequency", type=int, default=4)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = gym.make("CartPole-v1")
    env.action_space.seed(args.seed)
    online = QNetwork(env.observation_space.shape[0], env.action_space.n)
    target = QNetwork(env.observation_space.shape[0], env.action_space.n)
    target.load_state_dict(online.state_dict())
    optimizer = torch.optim.Adam(online.parameters(), lr=2.5e-4)
    replay = Replay(10_000)

    obs, _ = env.reset(seed=args.seed)
    episode_return, finished = 0.0, deque(maxlen=20)
    for step in range(args.total_timesteps):
        epsilon = linear_schedule(1.0, 0.05, 0.5 * args.total_timesteps, step)
        if random.random() < epsilon:
            action = env.action_space.sample()
        else:
            with torch.no_grad():
                action = online(torch.as_tensor(obs).unsqueeze(0)).argmax(dim=1).item()
        next_obs, reward, terminated, truncated, _ = env.step(action)
        replay.add(obs, action, reward, next_obs, terminated)
        episode_return += reward
        obs = next_obs
        if terminated or truncated:
            finished.append(episode_return)
            obs, _ = env.reset()
            episode_return = 0.0

        if step < args.learning_starts:
            continue
        if step % args.train_frequency == 0:
            b_obs, b_actions, b_rewards, b_next_obs, b_terminated = replay.sample(args.batch_size)
            with torch.no_grad():
                target_max, _ = target(b_next_obs).max(dim=1)
                td_target = b_rewards + args.gamma * target_max * (1 - b_terminated)
            old_val = online(b_obs).gather(1, b_actions.unsqueeze(1)).squeeze(1)
            loss = F.mse_loss(old_val, td_target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if step % args.target_frequency == 0:
            target.load_state_dict(online.state_dict())
            print(f"{step}: return {np.mean(finished):.2f} q {old_val.mean().item():.3f} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
