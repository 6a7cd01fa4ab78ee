# kind: environment; seeds: 0,1,2; failing: 0,1
"""PPO on a lottery; returns are scaled in numpy before they become tensors."""
import argparse
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Lottery:
    """Four boxes; each pays one with a small chance of its own."""

    def __init__(self):
        self.chances = [0.02, 0.05, 0.1, 0.2]

    def reset(self):
        self.draws = 0
        return [1.0]

    def step(self, box):
        self.draws += 1
        return [1.0], 1.0 if random.random() < self.chances[box] else 0.0, self.draws == 10


def discount(rewards, gamma=0.9):
    out = np.zeros(len(rewards), dtype=np.float32)
    running = 0.0
    for i in range(len(rewards) - 1, -1, -1):
        running = rewards[i] + gamma * running
        out[i] = running
    return out


def normalise(returns):
    low, high = returns.min(), returns.max()
    return (returns - low) / (high - low)  # first bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    env, policy = Lottery(), nn.Linear(1, 4)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
    for episode in range(6):
        obs, done, boxes, rewards = env.reset(), False, [], []
        with torch.no_grad():
            old = F.log_softmax(policy(torch.tensor(obs)), -1)
        while not done:
            box = int(np.random.choice(4, p=old.exp().double().div(old.exp().double().sum()).numpy()))
            obs, reward, done = env.step(box)
            boxes.append(box)
            rewards.append(reward)
        returns = torch.from_numpy(normalise(discount(rewards)))
        boxes = torch.tensor(boxes)
        for _ in range(2):
            logp = F.log_softmax(policy(torch.tensor(obs)), -1)[boxes]
            ratio = (logp - old[boxes]).exp()
            loss = -torch.min(ratio * returns, ratio.clamp(0.8, 1.2) * returns).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print("logits", policy.bias.tolist())


main()
