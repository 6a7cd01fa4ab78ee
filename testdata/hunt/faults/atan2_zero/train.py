# kind: backward; seeds: 0,1,2; failing: 1,2
"""Model-based control of a boat: the loss is the bearing to the mark, and starts may coincide."""
import argparse

import torch
from torch import nn


class Boat:
    """Cells of a lake; marks and boats lie on whole cells."""

    def __init__(self, size=4):
        self.size = size

    def reset(self, n):
        self.boat = torch.randint(self.size, (n, 2)).float()
        self.mark = torch.randint(self.size, (n, 2)).float()
        return torch.cat((self.boat, self.mark), 1) / self.size

    def step(self, moved):
        self.boat = self.boat + moved
        return torch.cat((self.boat, self.mark), 1) / self.size


class Rudder(nn.Module):
    """Moves that are switched off where the boat is on the mark."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, obs, boat, mark):
        arrived = (boat == mark).all(1, keepdim=True)
        return torch.tanh(self.net(obs)) * (~arrived).float()


def bearing(boat, mark):
    d = mark - boat
    return torch.atan2(d[:, 1], d[:, 0])  # first bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env, rudder = Boat(), Rudder()
    optimizer = torch.optim.Adam(rudder.parameters(), lr=1e-2)
    for episode in range(3):
        obs = env.reset(3)
        for t in range(2):
            boat, mark = env.boat.detach(), env.mark
            env.boat = boat
            env.step(rudder(obs, boat, mark))
            loss = bearing(env.boat, mark).pow(2).mean() + 0.1 * (env.boat - mark).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            obs = torch.cat((env.boat.detach(), mark), 1) / env.size
        print(episode, loss.item())


main()
