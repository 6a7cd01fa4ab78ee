"""REINFORCE: the faults of the taxonomy that a policy gradient can have."""

import gymnasium as gym
import torch
import torch.nn as nn
from torch.distributions import Categorical

env = gym.make("CartPole-v1")
policy = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)

for episode in range(500):
    obs, _ = env.reset()
    log_probs, rewards, over = [], [], False
    while not over:
        dist = Categorical(logits=policy(torch.as_tensor(obs)))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        obs, reward, terminated, truncated, _ = env.step(action.item())
        rewards.append(reward)
        over = terminated or truncated
    returns, running = [], 0.0
    for reward in reversed(rewards):
        running = reward + 0.99 * running
        returns.insert(0, running)
        # bug ADV007: returns.append(running)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std(unbiased=False) + 1e-8)
    loss = -(torch.stack(log_probs) * returns).sum()
    optimizer.zero_grad()
    # bug LOOP026: optimizer.zero_grad
    loss.backward()  # found: LOOP022
    optimizer.step()
    # bug LOOP022: pass
