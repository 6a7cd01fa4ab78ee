"""DQN in classes, with a double-Q target and hard updates."""

import copy
import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F


class Corridor:
    def __init__(self, length=8):
        self.length = length

    def reset(self):
        self.cell, self.time = 0, 0
        return self.observe()

    def observe(self):
        return F.one_hot(torch.tensor(self.cell), self.length).float()

    def step(self, action):
        self.cell = min(max(self.cell + (1 if action == 1 else -1), 0), self.length - 1)
        self.time += 1
        terminated = self.cell == self.length - 1
        return self.observe(), float(terminated), terminated, self.time >= 40


class ReplayBuffer:
    def __init__(self, capacity):
        self.data = deque(maxlen=capacity)

    def push(self, obs, action, reward, next_obs, terminated):
        self.data.append((obs, action, reward, next_obs, terminated))

    def sample(self, size):
        obs, action, reward, next_obs, terminated = zip(*random.sample(self.data, size))
        return (
            torch.stack(obs),
            torch.tensor(action),
            torch.tensor(reward, dtype=torch.float32),
            torch.stack(next_obs),
            torch.tensor(terminated, dtype=torch.float32),
        )

    def __len__(self):
        return len(self.data)


class QNetwork(nn.Module):
    def __init__(self, inputs, actions):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, actions))
        # bug DIST012: self.layers = nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, actions), nn.ReLU())

    def forward(self, obs):
        return self.layers(obs)


class DQNAgent:
    def __init__(self, inputs, actions, gamma=0.97, lr=1e-3, sync_every=100):
        self.actions, self.gamma, self.sync_every = actions, gamma, sync_every
        self.q = QNetwork(inputs, actions)
        self.target_q = copy.deepcopy(self.q).requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.buffer = ReplayBuffer(10_000)
        self.updates = 0

    def act(self, obs, epsilon):
        if random.random() < epsilon:
            return random.randrange(self.actions)
        with torch.no_grad():
            return self.q(obs).argmax().item()

    def update(self, batch_size=32):
        obs, action, reward, next_obs, terminated = self.buffer.sample(batch_size)
        q = self.q(obs).gather(1, action.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = self.q(next_obs).argmax(dim=1, keepdim=True)
            next_q = self.target_q(next_obs).gather(1, best).squeeze(1)
            target = reward + self.gamma * (1 - terminated) * next_q
        loss = F.smooth_l1_loss(q, target)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        # bug LOOP004: self.optimizer.step()
        self.optimizer.step()
        # and: nn.utils.clip_grad_norm_(self.q.parameters(), 10.0)
        self.updates += 1
        if self.updates % self.sync_every == 0:
            self.target_q.load_state_dict(self.q.state_dict())
        return loss.item()


class Trainer:
    def __init__(self, env, agent):
        self.env, self.agent = env, agent

    def run(self, episodes):
        for episode in range(episodes):
            obs, done, total = self.env.reset(), False, 0.0
            epsilon = max(0.05, 1 - episode / 100)
            while not done:
                action = self.agent.act(obs, epsilon)
                next_obs, reward, terminated, truncated = self.env.step(action)
                self.agent.buffer.push(obs, action, reward, next_obs, terminated)
                obs, done, total = next_obs, terminated or truncated, total + reward
                if len(self.agent.buffer) >= 200:
                    loss = self.agent.update()
            if episode % 20 == 0:
                print(episode, total, epsilon)


if __name__ == "__main__":
    Trainer(Corridor(), DQNAgent(8, 2)).run(120)
