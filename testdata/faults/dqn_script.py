"""DQN as one script: the faults of the taxonomy of Nikanjam et al. (2022) that a Q-learner can have."""

import random
from collections import deque

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

env = gym.make("CartPole-v1")
online = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
# bug DIST012: online = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2), nn.ReLU())
target = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
# and: target = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2), nn.ReLU())
target.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
replay = deque(maxlen=10_000)
epsilon = 1.0


def act(obs):
    if random.random() < epsilon:
    # bug DIST050: if False:
        return random.randrange(env.action_space.n)
        # bug OFF022: return random.randrange(env.action_space.n - 1)
    with torch.no_grad():
        return online(torch.as_tensor(obs).unsqueeze(0)).argmax(dim=1).item()


def learn():
    obs, actions, rewards, next_obs, ended = zip(*random.sample(replay, 64))
    rewards, ended = torch.tensor(rewards), torch.tensor(ended, dtype=torch.float32)
    with torch.no_grad():
        bootstrap = target(torch.as_tensor(np.stack(next_obs))).max(dim=1).values
        y = rewards + 0.99 * (1 - ended) * bootstrap
        # bug VAL002: y = rewards + 0.99 * bootstrap
    q = online(torch.as_tensor(np.stack(obs))).gather(1, torch.tensor(actions).unsqueeze(1)).squeeze(1)
    loss = (q - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


steps = 0
for episode in range(500):
    obs, _ = env.reset()
    over = False
    while not over:
        action = act(obs)
        next_obs, reward, terminated, truncated, _ = env.step(action)  # found: DIST050
        replay.append((obs, action, reward, next_obs, terminated))
        obs = next_obs
        over = terminated or truncated
        steps += 1
        if len(replay) >= 1000:
        # bug OFF023: if len(replay) > 10_000:
            learn()
        if steps % 500 == 0:
            target.load_state_dict(online.state_dict())
    epsilon = max(0.05, 0.99 * epsilon)
    # bug OFF016: epsilon = min(0.05, 0.99 * epsilon)
