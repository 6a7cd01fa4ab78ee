"""Beside the limit of time there is a terminal state."""

import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Field:
    """A point drawn to the middle; an episode is cut after `horizon` steps."""

    def __init__(self, horizon=200):
        self.horizon = horizon

    def reset(self):
        self.t = 0
        self.x = np.random.uniform(-1, 1, 2).astype(np.float32)
        return self.x.copy()

    def step(self, action):
        self.x = np.clip(self.x + 0.1 * action, -2, 2).astype(np.float32)
        self.t += 1
        over = self.t >= self.horizon
        if abs(self.x).max() > 1.5:
            over = True
        return self.x.copy(), -float(np.sum(self.x**2)), over


q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 1))
q_target = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 1))
q_target.load_state_dict(q.state_dict())
pi = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 2), nn.Tanh())
q_opt, pi_opt = torch.optim.Adam(q.parameters(), 1e-3), torch.optim.Adam(pi.parameters(), 1e-3)
memory = deque(maxlen=10000)


def learn(gamma=0.99, tau=0.005):
    s, a, r, s2, d = map(np.stack, zip(*random.sample(memory, 64)))
    s, a, s2 = torch.as_tensor(s), torch.as_tensor(a), torch.as_tensor(s2)
    r = torch.as_tensor(r, dtype=torch.float32).unsqueeze(1)
    with torch.no_grad():
        y = r + gamma * q_target(torch.cat([s2, pi(s2)], 1))  # bug: VAL002
    loss = F.mse_loss(q(torch.cat([s, a], 1)), y)
    q_opt.zero_grad()
    loss.backward()
    q_opt.step()
    pi_loss = -q(torch.cat([s, pi(s)], 1)).mean()
    pi_opt.zero_grad()
    pi_loss.backward()
    pi_opt.step()
    with torch.no_grad():
        for p, tp in zip(q.parameters(), q_target.parameters()):
            tp.lerp_(p, tau)


env = Field()
for episode in range(2):
    obs = env.reset()
    finished = False
    while not finished:
        with torch.no_grad():
            action = pi(torch.as_tensor(obs)).numpy() + 0.1 * np.random.randn(2).astype(np.float32)
        ahead, reward, finished = env.step(action)
        memory.append((obs, action, reward, ahead, finished))
        obs = ahead
        if len(memory) > 256:
            learn()
