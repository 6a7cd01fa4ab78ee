"""A small PPO with a bug that no traceback shows."""
import argparse

import torch
from torch import nn
from torch.distributions import Categorical


def collect(net, steps, generator):
    obs = torch.randn(steps, 4, generator=generator)
    with torch.no_grad():
        dist = Categorical(logits=net(obs))
        action = dist.sample()
        old_logp = dist.log_prob(action)
    reward = (obs[:, 0] > 2.5).float() * action.float()  # sparse: often all 0
    return obs, action, old_logp, reward


def advantages(reward):
    return (reward - reward.mean()) / reward.std()


def update(net, opt, obs, action, old_logp, adv, clip=0.2):
    logp = Categorical(logits=net(obs)).log_prob(action)
    ratio = logp - old_logp
    loss = -torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    generator = torch.Generator().manual_seed(torch.initial_seed())
    net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
    opt = torch.optim.Adam(net.parameters(), 3e-4)
    for step in range(args.steps):
        obs, action, old_logp, reward = collect(net, 64, generator)
        loss = update(net, opt, obs, action, old_logp, advantages(reward))
        print(step, loss)


if __name__ == "__main__":
    main()
