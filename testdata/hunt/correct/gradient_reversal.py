"""Actor-critic that must not tell two rooms apart: the gradient of a discriminator is reversed, deliberately."""
import argparse

import torch
import torch.nn.functional as F
from torch import nn


class Reverse(torch.autograd.Function):
    """The identity, whose gradient has the other sign: domain-adversarial training."""

    @staticmethod
    def forward(ctx, x, weight):
        ctx.weight = weight
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.weight * grad_output, None


class Rooms:
    """Two rooms, one brighter; the task is the same in both."""

    def reset(self, n):
        self.room = torch.randint(2, (n,))
        self.x = torch.randn(n, 3)
        return torch.cat([self.x, self.room[:, None] + 0.1 * torch.randn(n, 1)], 1)

    def step(self, a):
        return ((self.x[:, 0] > 0).long() == a).float()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env = Rooms()
    features = nn.Sequential(nn.Linear(4, 24), nn.Tanh())
    policy, value, which = nn.Linear(24, 2), nn.Linear(24, 1), nn.Linear(24, 2)
    optimizer = torch.optim.Adam([p for m in (features, policy, value, which) for p in m.parameters()], lr=3e-3)
    for update in range(25):
        h = features(env.reset(64))
        logp = torch.log_softmax(policy(h), -1)
        a = torch.multinomial(logp.detach().exp(), 1)
        reward = env.step(a.squeeze(1))
        v = value(h).squeeze(1)
        policy_loss = -(logp.gather(1, a).squeeze(1) * (reward - v).detach()).mean()
        adversary = F.cross_entropy(which(Reverse.apply(h, 0.3)), env.room)
        loss = policy_loss + 0.5 * (v - reward).pow(2).mean() + adversary
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("reward %.3f adversary %.3f" % (reward.mean().item(), adversary.item()))


main()
