"""A mask of several environments that is chosen for the last step, and does not end what is carried on."""

import gymnasium as gym
import numpy as np
import torch
from torch import nn

N, T = 4, 64
envs = gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1") for _ in range(N)])
critic = nn.Linear(4, 1)
rewards, values, ends = torch.zeros(T, N), torch.zeros(T, N), torch.zeros(T, N)
obs, ended = torch.as_tensor(envs.reset(seed=1)[0]), torch.zeros(N)
with torch.no_grad():
    for t in range(T):
        ends[t], values[t] = ended, critic(obs).squeeze(-1)
        obs, paid, terminated, truncated, _ = envs.step(np.random.randint(0, 2, N))
        obs, rewards[t] = torch.as_tensor(obs), torch.as_tensor(paid)
        ended = torch.as_tensor(np.logical_or(terminated, truncated)).float()
    ahead = critic(obs).squeeze(-1)
    gains, carried = torch.zeros(T, N), 0
    for t in reversed(range(T)):
        goes_on = 1 - (ended if t == T - 1 else ends[t + 1])
        after = ahead if t == T - 1 else values[t + 1]
        error = rewards[t] + 0.99 * after * goes_on - values[t]
        gains[t] = carried = error + 0.99 * 0.95 * carried  # bug: ADV004
