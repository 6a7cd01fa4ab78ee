"""REINFORCE with whitened returns; one update an episode.

Trap: the loss multiplies log-probs and returns without any ratio, which is exact while each trajectory is used once.
The returns are whitened with np.finfo(float32).eps in the denominator, guarded by the length of the episode.
"""

import argparse
from itertools import count

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

eps = np.finfo(np.float32).eps.item()


class Policy(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.affine1 = nn.Linear(observations, 128)
        self.affine2 = nn.Linear(128, actions)
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        action_scores = self.affine2(x)
        return F.softmax(action_scores, dim=1)


def select_action(policy, state):
    state = torch.from_numpy(state).float().unsqueeze(0)
    probs = policy(state)
    m = Categorical(probs)
    action = m.sample()
    policy.saved_log_probs.append(m.log_prob(action))
    return action.item()


def finish_episode(policy, optimizer, gamma):
    R, policy_loss, returns = 0.0, [], []
    for r in policy.rewards[::-1]:
        R = r + gamma * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    if len(returns) > 1:
        returns = (returns - returns.mean()) / (returns.std() + eps)
    for log_prob, R in zip(policy.saved_log_probs, returns):
        policy_loss.append(-log_prob * R)
    optimizer.zero_grad()
    loss = torch.cat(policy_loss).sum()
    loss.backward()
    optimizer.step()
    del policy.rewards[:]
    del policy.saved_log_probs[:]
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--seed", type=int, default=543)
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--log-interval", type=int, default=10)
    args = parser.parse_args()

    env = gym.make("CartPole-v1")
    torch.manual_seed(args.seed)
    policy = Policy(env.observation_space.shape[0], env.action_space.n)
    optimizer = optim.Adam(policy.parameters(), lr=1e-2)

    running_reward = 10.0
    for episode in range(args.episodes):
        state, _ = env.reset(seed=args.seed if episode == 0 else None)
        ep_reward = 0.0
        for t in count(1):
            action = select_action(policy, state)
            state, reward, terminated, truncated, _ = env.step(action)
            policy.rewards.append(reward)
            ep_reward += reward
            if terminated or truncated:
                break
        running_reward = 0.05 * ep_reward + 0.95 * running_reward
        loss = finish_episode(policy, optimizer, args.gamma)
        if episode % args.log_interval == 0:
            print(f"Episode {episode}\tlength {t}\tlast {ep_reward:.2f}\taverage {running_reward:.2f}\tloss {loss:.2f}")


if __name__ == "__main__":
    main()
