"""Evolution strategies with antithetic noise and centred ranks.

Trap: a parameter vector is written back into the module in every generation and no optimiser ever sees it; the
perturbation's `sigma` divides as a constant; fitness is ranked, and in the other shaping its std is compared with zero.
"""

import argparse

import torch
import torch.nn as nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


def build():
    return nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1), nn.Tanh())


def fitness(net, generator, steps=40):
    """Hold an inverted pendulum; the score is the mean of cos(angle)."""
    angle = 0.5 * torch.randn(8, generator=generator)
    speed = torch.zeros(8)
    score = torch.zeros(8)
    with torch.no_grad():
        for _ in range(steps):
            torque = net(torch.stack([angle.cos(), angle.sin(), speed], dim=1)).squeeze(1)
            speed = (speed + 0.1 * (4.0 * angle.sin() + 8.0 * torque)).clamp(-6, 6)
            angle = angle + 0.1 * speed
            score += angle.cos()
    return score.mean() / steps


def centred_ranks(x):
    ranks = torch.empty_like(x)
    ranks[x.argsort()] = torch.arange(len(x), dtype=x.dtype)
    return ranks / (len(x) - 1) - 0.5


def standardised(x):
    spread = x.std()
    if spread == 0:
        return torch.zeros_like(x)
    return (x - x.mean()) / spread


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--generations", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=16)
    parser.add_argument("--sigma", type=float, default=0.1)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--shaping", choices=("ranks", "standardised"), default="ranks")
    args = parser.parse_args()

    torch.manual_seed(0)
    net = build()
    theta = parameters_to_vector(net.parameters()).detach()
    shape = {"ranks": centred_ranks, "standardised": standardised}[args.shaping]
    for generation in range(args.generations):
        noise = torch.randn(args.pairs, theta.numel())
        noise = torch.cat([noise, -noise])
        scores = []
        for direction in noise:
            vector_to_parameters(theta + args.sigma * direction, net.parameters())
            scores.append(fitness(net, torch.Generator().manual_seed(generation)))
        scores = torch.stack(scores)
        gradient = shape(scores) @ noise / (len(noise) * args.sigma)
        theta = theta + args.lr * gradient
        vector_to_parameters(theta, net.parameters())
        if generation % 10 == 0:
            print(f"{generation} mean {scores.mean():.3f} best {scores.max():.3f}")


if __name__ == "__main__":
    main()
