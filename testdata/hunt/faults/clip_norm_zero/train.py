# kind: optimizer; seeds: 0,1,2; failing: 0,2
"""A2C with gradients that are scaled layer by layer."""
import argparse

import torch
from torch import nn
from torch.nn import functional as F


class Slots:
    """Two machines; the left one seldom pays, and the episode ends with the first win."""

    def reset(self):
        self.t = 0
        return torch.ones(1, 1)

    def step(self, arm):
        self.t += 1
        won = bool(torch.rand(1) < (0.1, 0.4)[arm])
        return torch.ones(1, 1), float(won), won or self.t == 6


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.actor, self.critic = nn.Linear(1, 2), nn.Linear(2, 2), nn.Linear(2, 1)

    def forward(self, x):
        h = F.relu(self.body(x))
        return F.log_softmax(self.actor(h), -1), self.critic(h)


def scale_each(parameters, length):
    """Gives the gradient of each parameter the same norm."""
    for p in parameters:
        scale = length / p.grad.norm()  # first bad
        p.grad.mul_(scale)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env, net = Slots(), Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for episode in range(5):
        obs, done, terms = env.reset(), False, []
        while not done:
            logp, value = net(obs)
            arm = int(torch.multinomial(logp.detach().exp(), 1))
            obs, reward, done = env.step(arm)
            advantage = reward - value[0, 0]
            terms.append(-logp[0, arm] * advantage.detach() + advantage**2)
        loss = torch.stack(terms).mean()
        optimizer.zero_grad()
        loss.backward()
        scale_each(net.parameters(), 0.5)
        optimizer.step()
        print(episode, loss.item())


if __name__ == "__main__":
    main()
