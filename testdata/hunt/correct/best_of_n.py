"""Best-of-n with minima that begin at infinity, and padding of inf that no minimum picks."""
import argparse
import random

import torch
from torch import nn


class Stops:
    """Route between stops; the cost is the length."""

    def reset(self, n=5):
        self.stops = torch.rand(n, 2)
        return self.stops

    def step(self, order):
        path = self.stops[order]
        return float((path[1:] - path[:-1]).norm(dim=-1).sum())


class Pointer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 1))

    def route(self, stops):
        left, order, logps = list(range(1, len(stops))), [0], []
        while left:
            here = stops[order[-1]].expand(len(left), 2)
            logp = torch.log_softmax(self.net(torch.cat([here, stops[left]], -1)).squeeze(-1), 0)
            i = int(torch.multinomial(logp.detach().exp(), 1))
            logps.append(logp[i])
            order.append(left.pop(i))
        return order, torch.stack(logps).sum()


def nearest(stops):
    """Distance of each stop to its nearest other: the diagonal must not win the minimum."""
    distances = (stops[:, None] - stops[None]).norm(dim=-1)
    distances = distances + torch.diag(torch.full((len(stops),), float("inf")))
    return distances.min(1).values


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    torch.manual_seed(seed)
    random.seed(seed)
    env, pointer = Stops(), Pointer()
    optimizer = torch.optim.Adam(pointer.parameters(), lr=5e-3)
    worst, record = float("-inf"), torch.full((12,), float("inf"))
    for update in range(12):
        stops = env.reset(random.randrange(4, 7))
        best, terms, costs = float("inf"), [], []
        for _ in range(4):
            order, logp = pointer.route(stops)
            cost = env.step(order)
            best, worst = min(best, cost), max(worst, cost)
            terms.append(logp)
            costs.append(cost)
        record[update] = best
        shortest = record.min()
        bound = nearest(stops).sum().item()
        baseline = sum(costs) / len(costs)
        loss = torch.stack([t * (c - baseline) for t, c in zip(terms, costs)]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("best %.3f of %.3f, worst %.3f, at least %.3f" % (best, shortest, worst, bound / 2))


main()
