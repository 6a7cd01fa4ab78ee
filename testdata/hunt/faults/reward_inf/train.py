# kind: environment; seeds: 0,1; failing: 0,1
"""A2C for a walker on a grid that is paid for being near a beacon."""
import argparse

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class Beacon:
    """Five by five cells. The reward is one over the distance to the beacon."""

    size, horizon = 5, 15
    moves = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.at = self.rng.integers(self.size, size=2)
        self.beacon = self.rng.integers(self.size, size=2)
        self.t = 0
        return self.observation()

    def observation(self):
        return np.concatenate([self.at, self.beacon]).astype(np.float32) / self.size

    def step(self, action):
        self.at = np.clip(self.at + self.moves[action], 0, self.size - 1)
        self.t += 1
        distance = np.abs(self.at - self.beacon).sum()
        reward = np.float32(1.0) / distance  # first bad
        return self.observation(), reward, self.t >= self.horizon


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, 4), nn.Linear(32, 1)

    def forward(self, x):
        h = self.trunk(x)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    torch.manual_seed(seed)
    env, net = Beacon(seed), Net()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for episode in range(12):
        obs, done, observations, actions, rewards = env.reset(), False, [], [], []
        while not done:
            with torch.no_grad():
                action = net(torch.from_numpy(obs))[0].sample().item()
            observations.append(obs)
            actions.append(action)
            obs, reward, done = env.step(action)
            rewards.append(reward)
        returns = np.zeros(len(rewards), dtype=np.float32)
        running = 0.0
        for i in reversed(range(len(rewards))):
            running = rewards[i] + 0.9 * running
            returns[i] = running
        dist, values = net(torch.from_numpy(np.array(observations)))
        advantages = torch.from_numpy(returns) - values
        loss = -(dist.log_prob(torch.tensor(actions)) * advantages.detach()).mean() + 0.5 * advantages.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
