"""DQN in plain functions with Polyak averaging."""

import argparse
import random

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn


def make_net(n_obs, n_act, width=128):
    return nn.Sequential(nn.Linear(n_obs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, n_act))
    # bug DIST012: return nn.Sequential(nn.Linear(n_obs, width), nn.ReLU(), nn.Linear(width, n_act), nn.ReLU())


def select_action(net, obs, epsilon, n_act):
    if np.random.rand() < epsilon:
        return np.random.randint(n_act)
    with torch.no_grad():
        q = net(torch.as_tensor(obs, dtype=torch.float32).unsqueeze(0))
    return int(q.argmax(dim=1))


def sample(memory, size):
    batch = random.sample(memory, size)
    s, a, r, s2, d = map(np.array, zip(*batch))
    return (
        torch.as_tensor(s, dtype=torch.float32),
        torch.as_tensor(a, dtype=torch.int64)[:, None],
        torch.as_tensor(r, dtype=torch.float32)[:, None],
        torch.as_tensor(s2, dtype=torch.float32),
        torch.as_tensor(d, dtype=torch.float32)[:, None],
    )


def td_loss(net, target_net, batch, gamma):
    s, a, r, s2, d = batch
    q = net(s).gather(1, a)
    with torch.no_grad():
        y = r + gamma * (1 - d) * target_net(s2).max(dim=1, keepdim=True).values
    return nn.functional.mse_loss(q, y)


def soft_update(target_net, net, tau):
    with torch.no_grad():
        for tp, p in zip(target_net.parameters(), net.parameters()):
            tp.copy_(tau * p + (1 - tau) * tp)


def optimise(opt, net, loss, limit):
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(net.parameters(), limit)
    # bug LOOP004: opt.step()
    opt.step()
    # and: nn.utils.clip_grad_value_(net.parameters(), limit)


def train(args):
    env = gym.make(args.env)
    n_obs, n_act = env.observation_space.shape[0], env.action_space.n
    net, target_net = make_net(n_obs, n_act), make_net(n_obs, n_act)
    target_net.load_state_dict(net.state_dict())
    opt = torch.optim.AdamW(net.parameters(), lr=args.lr)
    memory, returns, total = [], [], 0.0
    obs, _ = env.reset(seed=args.seed)
    for step in range(args.steps):
        epsilon = np.interp(step, [0, args.steps * 0.2], [1.0, 0.05])
        action = select_action(net, obs, epsilon, n_act)
        nxt, reward, terminated, truncated, _ = env.step(action)
        memory.append((obs, action, reward, nxt, terminated))
        if len(memory) > args.capacity:
            memory.pop(0)
        total += reward
        obs = nxt
        if terminated or truncated:
            returns.append(total)
            total = 0.0
            obs, _ = env.reset()
        if len(memory) >= args.start:
            loss = td_loss(net, target_net, sample(memory, args.batch), args.gamma)
            optimise(opt, net, loss, 1.0)
            soft_update(target_net, net, args.tau)
        if step % 1000 == 0 and returns:
            print(f"{step}: {np.mean(returns[-20:]):.1f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--env", default="CartPole-v1")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--steps", type=int, default=20000)
    p.add_argument("--capacity", type=int, default=10000)
    p.add_argument("--start", type=int, default=500)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=5e-4)
    p.add_argument("--gamma", type=float, default=0.99)
    p.add_argument("--tau", type=float, default=0.005)
    train(p.parse_args())
