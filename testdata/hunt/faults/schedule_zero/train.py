# kind: optimizer; seeds: 0,1; failing: 0,1
"""REINFORCE with a learning rate that decays as one over what is left."""
import argparse

import numpy as np
import torch
from torch import nn


class Hill:
    """Choose a slope; steeper pays more, until one slips."""

    def reset(self):
        return torch.ones(4, 1)

    def step(self, slope):
        return slope.squeeze(1) - 0.5 * slope.squeeze(1) ** 2


def rate(step, total, base):
    """Grows while few steps are left, as in a restart."""
    left = np.float64(total - step)
    return base * (1 + 1 / left)  # first bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--updates", type=int, default=20)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    env = Hill()
    mean = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(mean.parameters(), lr=0.01)
    for update in range(args.updates + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(update, args.updates, 0.01)
        obs = env.reset()
        dist = torch.distributions.Normal(mean(obs), 0.3)
        slope = dist.sample()
        gain = env.step(slope)
        loss = -(dist.log_prob(slope).squeeze(1) * (gain - gain.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("slope %.3f" % mean(obs)[0].item())


if __name__ == "__main__":
    main()
