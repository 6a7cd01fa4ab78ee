"""Sampling without any multinomial: Gumbel-max, inverse CDF, exponential race and rejection.

Trap: raw logits are sampled from correctly by adding Gumbel noise and taking argmax; probabilities are compared with uniform
noise; `torch.bernoulli` gets a sigmoid; numpy's choice gets a normalised exponential.
"""

import argparse

import numpy as np
import torch
import torch.nn as nn


def gumbel_max(logits):
    noise = -torch.log(-torch.log(torch.rand_like(logits).clamp(1e-9, 1 - 1e-7)))
    return (logits + noise).argmax(dim=-1)


def inverse_cdf(logits):
    cdf = logits.softmax(dim=-1).cumsum(dim=-1)
    u = torch.rand(*logits.shape[:-1], 1) * cdf[..., -1:]
    return torch.searchsorted(cdf, u).squeeze(-1).clamp(max=logits.size(-1) - 1)


def exponential_race(logits):
    probs = torch.softmax(logits, dim=-1)
    return (probs / torch.empty_like(probs).exponential_(1.0).clamp_min(1e-12)).argmax(dim=-1)


def numpy_choice(logits, rng):
    z = logits.detach().numpy().astype(np.float64)
    z = np.exp(z - z.max(axis=1, keepdims=True))
    p = z / z.sum(axis=1, keepdims=True)
    return torch.tensor([rng.choice(p.shape[1], p=row) for row in p])


def frequencies(draw, logits, rounds):
    counts = torch.zeros_like(logits)
    for _ in range(rounds):
        action = draw(logits)
        counts[torch.arange(len(logits)), action] += 1.0
    return counts / rounds


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.choose, self.stop = nn.Linear(3, 4), nn.Linear(3, 1)

    def forward(self, x):
        return self.choose(x), torch.bernoulli(torch.sigmoid(self.stop(x)).squeeze(-1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=2000)
    args = parser.parse_args()
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    policy = Policy()
    with torch.no_grad():
        logits, stop = policy(torch.randn(3, 3))
        wanted = logits.softmax(dim=-1)
        print("stopped", stop.tolist())
        draws = {"gumbel": gumbel_max, "cdf": inverse_cdf, "race": exponential_race,
                 "numpy": lambda z: numpy_choice(z, rng)}
        for name, draw in draws.items():
            error = (frequencies(draw, logits, args.rounds) - wanted).abs().max()
            print(f"{name} largest error {error.item():.3f}")


if __name__ == "__main__":
    main()
