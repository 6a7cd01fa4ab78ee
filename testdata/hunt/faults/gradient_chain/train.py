# kind: gradient; seeds: 0,1; failing: 0,1
"""SAC with one critic on a point that must stay near the origin."""
import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Point:
    limit = 2.0

    def reset(self, n):
        self.x = torch.randn(n, 2)
        return self.x

    def step(self, force):
        self.x = self.x + 0.1 * force
        return self.x, -self.x.pow(2).sum(-1)


class Squash(torch.autograd.Function):
    """limit * tanh(u / limit): bounded, and the identity for small u."""

    @staticmethod
    def forward(ctx, u, limit, sharpness):
        out = torch.tanh(u * sharpness)
        ctx.save_for_backward(out)
        ctx.limit, ctx.sharpness = limit, sharpness
        return limit * out

    @staticmethod
    def backward(ctx, grad_out):
        out, = ctx.saved_tensors
        d = ctx.limit * (1 - out * out)
        return grad_out * d, None, None  # first bad


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.ReLU())
        self.mu, self.log_std = nn.Linear(32, 2), nn.Linear(32, 2)

    def forward(self, x):
        h = self.net(x)
        mu, log_std = self.mu(h), self.log_std(h).clamp(-4, 1)
        noise = torch.randn_like(mu)
        u = mu + log_std.exp() * noise
        action = Squash.apply(u, Point.limit, 0.5)
        logp = (-0.5 * noise ** 2 - log_std - 0.5 * math.log(2 * math.pi)).sum(-1)
        correction = 2 * (math.log(2) - 0.5 * u - F.softplus(-u))
        return action, logp - correction.sum(-1)


def main(seed):
    torch.manual_seed(seed)
    env, actor = Point(), Actor()
    critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
    old = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
    old.load_state_dict(critic.state_dict())
    pi = torch.optim.Adam(actor.parameters(), 1e-3)
    q = torch.optim.Adam(critic.parameters(), 1e-3)
    x = env.reset(64)
    for step in range(40):
        with torch.no_grad():
            a, _ = actor(x)
            x2, r = env.step(a)
            a2, logp2 = actor(x2)
            y = r + 0.9 * (old(torch.cat([x2, a2], -1)).squeeze(-1) - 0.1 * logp2)
        q_loss = F.mse_loss(critic(torch.cat([x, a], -1)).squeeze(-1), y)
        q.zero_grad()
        q_loss.backward()
        q.step()
        new, logp = actor(x)
        pi_loss = (0.1 * logp - critic(torch.cat([x, new], -1)).squeeze(-1)).mean()
        pi.zero_grad()
        pi_loss.backward()
        pi.step()
        with torch.no_grad():
            for p, o in zip(critic.parameters(), old.parameters()):
                o.lerp_(p, 0.05)
        x = x2 if step % 10 else env.reset(64)
    print("q %.3f pi %.3f" % (q_loss.item(), pi_loss.item()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    main(parser.parse_args().seed)
