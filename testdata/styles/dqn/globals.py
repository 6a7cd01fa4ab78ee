# DQN for the course, assignment 2
import random

import gym
import numpy as np
import torch
import torch.nn as nn

env = gym.make("CartPole-v1")
model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
# bug DIST012: model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2), nn.ReLU())
target_model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
# and: target_model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2), nn.ReLU())
target_model.load_state_dict(model.state_dict())
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
loss_fn = nn.MSELoss()
mem = []
epsilon = 1.0
gamma = 0.99
count = 0


def choose(state):
    if random.random() < epsilon:
        return random.randint(0, 1)
    q = model(torch.tensor(state, dtype=torch.float))
    return torch.argmax(q).item()


def remember(s, a, r, s2, d):
    global mem
    mem.append((s, a, r, s2, d))
    if len(mem) > 5000:
        mem = mem[1:]


def learn():
    global count
    if len(mem) < 64:
        return 0
    batch = random.sample(mem, 64)
    s = torch.tensor(np.array([x[0] for x in batch]), dtype=torch.float)
    a = torch.tensor([x[1] for x in batch])
    r = torch.tensor([x[2] for x in batch], dtype=torch.float)
    s2 = torch.tensor(np.array([x[3] for x in batch]), dtype=torch.float)
    d = torch.tensor([x[4] for x in batch], dtype=torch.float)
    q_values = model(s)
    q = q_values.gather(1, a.reshape(-1, 1)).reshape(-1)
    next_q = target_model(s2).detach()
    y = r + gamma * next_q.max(1)[0] * (1 - d)
    loss = loss_fn(q, y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    # bug LOOP004: optimizer.step()
    optimizer.step()
    # and: nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    count = count + 1
    if count % 200 == 0:
        target_model.load_state_dict(model.state_dict())
    return loss.item()


scores = []
for ep in range(300):
    state = env.reset()
    score = 0
    done = False
    while not done:
        action = choose(state)
        next_state, reward, done, info = env.step(action)
        remember(state, action, reward, next_state, done and score < 499)
        loss = learn()
        state = next_state
        score += reward
    epsilon = max(0.05, epsilon * 0.98)
    scores.append(score)
    if ep % 10 == 0:
        print("episode", ep, "score", score, "average", sum(scores[-10:]) / len(scores[-10:]), "loss", loss)
