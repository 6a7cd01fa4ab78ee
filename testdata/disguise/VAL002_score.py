"""The same game, and a target that forgets the flag."""

import random
from collections import deque

import numpy as np
import torch
from torch import nn, optim


class Game:
    def __init__(self):
        self.reset()

    def reset(self):
        self.at, self.score, self.turn = 3, 0, 0

    def play_step(self, action):
        self.turn += 1
        self.at += 1 if np.array_equal(action, [1, 0, 0]) else -1
        reward = 0
        over = False
        if self.at < 0 or self.at > 9 or self.turn > 100:
            over = True
            reward = -10
            return reward, over, self.score
        if self.at == 5:
            self.score += 1
            reward = 10
        return reward, over, self.score


class Net(nn.Module):
    def __init__(self, a, b, c):
        super().__init__()
        self.l1 = nn.Linear(a, b)
        self.l2 = nn.Linear(b, c)

    def forward(self, x):
        return self.l2(torch.relu(self.l1(x)))


class Trainer:
    def __init__(self, model, lr, gamma):
        self.lr, self.gamma, self.model = lr, gamma, model
        self.optimizer = optim.Adam(model.parameters(), lr=lr)
        self.criterion = nn.MSELoss()

    def train_step(self, state, action, reward, next_state, done):
        state = torch.tensor(state, dtype=torch.float)
        next_state = torch.tensor(next_state, dtype=torch.float)
        action = torch.tensor(action, dtype=torch.long)
        reward = torch.tensor(reward, dtype=torch.float)
        if len(state.shape) == 1:
            state = torch.unsqueeze(state, 0)
            next_state = torch.unsqueeze(next_state, 0)
            action = torch.unsqueeze(action, 0)
            reward = torch.unsqueeze(reward, 0)
            done = (done,)
        pred = self.model(state)
        target = pred.clone()
        done = torch.tensor(done, dtype=torch.float)
        best = self.model(next_state).max(1).values.detach()
        goal = reward + self.gamma * best  # bug: VAL002
        idx = action.argmax(1)
        target = pred.clone().detach()
        target[torch.arange(len(idx)), idx] = goal
        self.optimizer.zero_grad()
        loss = self.criterion(target, pred)
        loss.backward()
        self.optimizer.step()


class Agent:
    def __init__(self):
        self.n_games = 0
        self.memory = deque(maxlen=100_000)
        self.model = Net(11, 256, 3)
        self.trainer = Trainer(self.model, lr=0.001, gamma=0.9)

    def get_state(self, game):
        return np.array([game.at, game.turn] + [0] * 9, dtype=int)

    def remember(self, state, action, reward, next_state, done):
        self.memory.append((state, action, reward, next_state, done))

    def train_long_memory(self):
        if len(self.memory) > 1000:
            sample = random.sample(self.memory, 1000)
        else:
            sample = self.memory
        states, actions, rewards, next_states, dones = zip(*sample)
        self.trainer.train_step(states, actions, rewards, next_states, dones)

    def train_short_memory(self, state, action, reward, next_state, done):
        self.trainer.train_step(state, action, reward, next_state, done)

    def get_action(self, state):
        eps = 80 - self.n_games
        move = [0, 0, 0]
        if random.randint(0, 200) < eps:
            move[random.randint(0, 2)] = 1
        else:
            p = self.model(torch.tensor(state, dtype=torch.float))
            move[torch.argmax(p).item()] = 1
        return move


def train():
    agent, game, record = Agent(), Game(), 0
    while True:
        old = agent.get_state(game)
        move = agent.get_action(old)
        reward, done, score = game.play_step(move)
        new = agent.get_state(game)
        agent.train_short_memory(old, move, reward, new, done)
        agent.remember(old, move, reward, new, done)
        if done:
            game.reset()
            agent.n_games += 1
            agent.train_long_memory()
            if score > record:
                record = score
            if agent.n_games > 20:
                break


if __name__ == "__main__":
    train()
