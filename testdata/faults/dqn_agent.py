"""DQN as an agent with methods: the same faults as in dqn_script.py, behind attributes."""

import copy
import random

import gymnasium as gym
import torch
import torch.nn as nn
import torch.nn.functional as F


class QNetwork(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.body = nn.Linear(observations, 128)
        self.head = nn.Linear(128, actions)

    def forward(self, x):
        return self.head(F.relu(self.body(x)))
        # bug DIST012: return F.relu(self.head(F.relu(self.body(x))))


class Agent:
    def __init__(self, env):
        self.env = env
        self.q = QNetwork(env.observation_space.shape[0], env.action_space.n)
        self.q_target = copy.deepcopy(self.q)
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.memory, self.updates, self.eps = [], 0, 1.0

    def choose(self, s):
        if random.random() > self.eps:
        # bug DIST050: if True:
            return self.q(torch.as_tensor(s)).argmax().item()
        return self.env.action_space.sample()

    def remember(self, *transition):
        self.memory.append(transition)
        del self.memory[:-50_000]

    def batch(self):
        rows = random.sample(self.memory, 32)
        s, a, r, s2, d = map(list, zip(*rows))
        return (torch.as_tensor(s), torch.tensor(a), torch.tensor(r, dtype=torch.float32), torch.as_tensor(s2),
                torch.tensor(d, dtype=torch.float32))

    def update(self):
        s, a, r, s2, d = self.batch()
        chosen = self.q(s).gather(1, a[:, None])[:, 0]
        best = self.q_target(s2).detach().max(1)[0]
        goal = r + 0.97 * best * (1 - d)
        # bug VAL002: goal = r + 0.97 * best
        loss = F.smooth_l1_loss(chosen, goal)
        self.optimizer.zero_grad()
        # bug LOOP026: self.optimizer.zero_grad
        loss.backward()
        self.optimizer.step()
        self.updates += 1
        if self.updates % 200 == 0:
            self.q_target.load_state_dict(self.q.state_dict())
        self.eps = max(self.eps * 0.999, 0.02)
        # bug OFF016: self.eps = min(self.eps * 0.999, 0.02)


def main():
    env = gym.make("CartPole-v1")
    agent = Agent(env)
    for _ in range(300):
        s, _ = env.reset()
        finished = False
        while not finished:
            a = agent.choose(s)
            s2, r, terminated, truncated, _ = env.step(a)  # found: DIST050
            agent.remember(s, a, r, s2, terminated)
            s, finished = s2, terminated or truncated
            if len(agent.memory) > 500:
                agent.update()


main()
