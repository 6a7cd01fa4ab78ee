# kind: gradient; seeds: 0,1; failing: 0,1
"""TD3-like control of a tank's level, with a fused linear layer."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class FusedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x.mm(weight.t()) + bias

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        return grad_output.mm(weight), grad_output.t().mm(x), grad_output.mean(0)  # first bad


class Fused(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.kaiming_uniform_(self.weight, a=5**0.5)

    def forward(self, x):
        return FusedLinear.apply(x, self.weight, self.bias)


class Tank:
    """Keep the level at one half while it leaks."""

    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.level, self.t = self.rng.uniform(0, 1), 0
        return np.array([self.level, 0.5 - self.level], dtype=np.float32)

    def step(self, flow):
        self.level = float(np.clip(self.level + 0.1 * flow - 0.05 * np.sqrt(self.level), 0, 1))
        self.t += 1
        return np.array([self.level, 0.5 - self.level], dtype=np.float32), -abs(self.level - 0.5), self.t == 25


def mlp(i, o, *last):
    return nn.Sequential(Fused(i, 32), nn.ReLU(), Fused(32, o), *last)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    env = Tank(rng)
    actor, critic, lagged = mlp(2, 1, nn.Tanh()), mlp(3, 1), mlp(3, 1)
    lagged.load_state_dict(critic.state_dict())
    opt_a = torch.optim.Adam(actor.parameters(), lr=1e-3)
    opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
    replay = []
    for episode in range(5):
        obs, done = env.reset(), False
        while not done:
            with torch.no_grad():
                flow = actor(torch.from_numpy(obs)[None]).item() + rng.normal(0, 0.2)
            after, reward, done = env.step(flow)
            replay.append((obs, [np.float32(flow)], np.float32(reward), after))
            obs = after
            if len(replay) < 40:
                continue
            rows = rng.integers(len(replay), size=32)
            s, a, r, s2 = (torch.from_numpy(np.array([replay[i][k] for i in rows])) for k in range(4))
            with torch.no_grad():
                target = r + 0.95 * lagged(torch.cat((s2, actor(s2)), 1)).squeeze(1)
            loss = F.mse_loss(critic(torch.cat((s, a), 1)).squeeze(1), target)
            opt_c.zero_grad()
            loss.backward()
            opt_c.step()
            value = -critic(torch.cat((s, actor(s)), 1)).mean()
            opt_a.zero_grad()
            value.backward()
            opt_a.step()
            for p, q in zip(critic.parameters(), lagged.parameters()):
                q.data.lerp_(p.data, 0.02)
    print("critic %.4f" % loss.item())


main()
