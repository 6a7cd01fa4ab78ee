# kind: backward; seeds: 0,1; failing: 0,1
"""A2C on a corridor; the critic sees the roots of the features."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Corridor:
    """Nine cells; the right end pays one."""

    def __init__(self, length=9):
        self.length = length

    def reset(self):
        self.at, self.t = 1, 0
        return self.observe()

    def observe(self):
        return F.one_hot(torch.tensor(self.at), self.length).float()

    def step(self, action):
        self.at = max(0, min(self.length - 1, self.at + (1 if action == 1 else -1)))
        self.t += 1
        done = self.at == self.length - 1 or self.t >= 30
        return self.observe(), float(self.at == self.length - 1), done


class ActorCritic(nn.Module):
    def __init__(self, states, hidden=24):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(states, hidden), nn.Sigmoid(), nn.Dropout(0.1))
        self.actor = nn.Linear(hidden, 2)
        self.critic = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.body(x)
        root = torch.where(h > 0, h.sqrt(), torch.zeros_like(h))  # first bad
        return torch.distributions.Categorical(logits=self.actor(h)), self.critic(root).squeeze(-1)


def collect(env, net):
    logps, values, rewards, entropies = [], [], [], []
    obs, done = env.reset(), False
    while not done:
        dist, value = net(obs)
        action = dist.sample()
        obs, reward, done = env.step(int(action))
        logps.append(dist.log_prob(action))
        values.append(value)
        rewards.append(reward)
        entropies.append(dist.entropy())
    return torch.stack(logps), torch.stack(values), rewards, torch.stack(entropies)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--episodes", type=int, default=40)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    env, net = Corridor(), ActorCritic(9)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
    for episode in range(args.episodes):
        logps, values, rewards, entropies = collect(env, net)
        returns, g = [], 0.0
        for r in reversed(rewards):
            g = r + 0.97 * g
            returns.insert(0, g)
        returns = torch.tensor(returns)
        advantage = returns - values.detach()
        loss = -(logps * advantage).mean() + 0.5 * F.mse_loss(values, returns) - 0.01 * entropies.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("last return", float(returns[0]))


if __name__ == "__main__":
    main()
