# PPO, exercise 3. Everything is global.
import gym
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions import Categorical

env = gym.make("CartPole-v1")
gamma = 0.99
lmbda = 0.95
eps_clip = 0.2
K = 4
T = 200

actor = nn.Sequential(nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, 2))
critic = nn.Sequential(nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, 1))
optimizer = optim.Adam(list(actor.parameters()) + list(critic.parameters()), lr=0.0005)

states = []
actions = []
old_logprobs = []
rewards = []
next_states = []
masks = []


def act(s):
    s = torch.from_numpy(s).float()
    probs = torch.softmax(actor(s), dim=-1)
    # bug DIST001: probs = actor(s)
    m = Categorical(probs)  # found: DIST001
    a = m.sample()
    return a.item(), m.log_prob(a).item()


def collect(s):
    score = 0
    for t in range(T):
        a, lp = act(s)
        s2, r, done, info = env.step(a)
        states.append(s)
        actions.append(a)
        old_logprobs.append(lp)
        rewards.append(r / 100.0)
        next_states.append(s2)
        masks.append(0.0 if done else 1.0)
        score += r
        s = s2
        if done:
            s = env.reset()
    return s, score


def train():
    s = torch.tensor(np.array(states), dtype=torch.float)
    a = torch.tensor(actions).view(-1, 1)
    lp_old = torch.tensor(old_logprobs).view(-1, 1)
    r = torch.tensor(rewards, dtype=torch.float).view(-1, 1)
    s2 = torch.tensor(np.array(next_states), dtype=torch.float)
    mask = torch.tensor(masks).view(-1, 1)
    for k in range(K):
        target = r + gamma * critic(s2).detach() * mask
        delta = (target - critic(s)).detach().numpy()
        adv_list = []
        adv = 0.0
        for d, m in zip(delta[::-1], mask.numpy()[::-1]):
            adv = gamma * lmbda * m[0] * adv + d[0]
            adv_list.append([adv])
        adv_list.reverse()
        advantage = torch.tensor(adv_list, dtype=torch.float)
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-5)
        # bug ADV009: advantage = (advantage - advantage.mean()) / advantage.std()
        pi = torch.softmax(actor(s), dim=1)
        # bug DIST025: pi = torch.softmax(actor(s), dim=0)
        lp = torch.log(pi.gather(1, a) + 1e-10)
        ratio = torch.exp(lp - lp_old)
        # bug OBJ001: ratio = lp - lp_old
        # bug OBJ020: ratio = torch.exp(lp_old - lp)
        surr1 = ratio * advantage
        surr2 = torch.clamp(ratio, 1 - eps_clip, 1 + eps_clip) * advantage
        # bug OBJ022: surr2 = torch.clamp(ratio, -eps_clip, eps_clip) * advantage
        actor_loss = -torch.min(surr1, surr2).mean()
        # bug OBJ002: actor_loss = -torch.max(surr1, surr2).mean()
        critic_loss = nn.MSELoss()(critic(s), target)
        entropy = -(pi * torch.log(pi + 1e-10)).sum(1).mean()
        loss = actor_loss + critic_loss - 0.01 * entropy
        # bug OBJ012: loss = actor_loss + critic_loss + 0.01 * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
        # bug LOOP004: optimizer.step()
        optimizer.step()
        # and: nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
    for buf in (states, actions, old_logprobs, rewards, next_states, masks):
        del buf[:]


state = env.reset()
for episode in range(500):
    state, score = collect(state)
    train()
    if episode % 20 == 0:
        print("episode", episode, "score", score)
