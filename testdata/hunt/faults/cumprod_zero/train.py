# kind: backward; seeds: 0,1; failing: 0,1
"""Actor-critic whose discounts are learnt: returns need a product along time."""
import argparse

import torch
from torch import nn


class Cumprod(torch.autograd.Function):
    """A running product along time that keeps its result rather than a graph."""

    @staticmethod
    def forward(ctx, x):
        out = x.cumprod(0)
        ctx.save_for_backward(x, out)
        return out

    @staticmethod
    def backward(ctx, grad):
        x, out = ctx.saved_tensors
        later = (grad * out).flip(0).cumsum(0).flip(0)
        return later / x  # first bad


class Discount(nn.Module):
    """Between 0 and 1; 0 where the edge is so near that nothing after it counts."""

    def __init__(self, inputs):
        super().__init__()
        self.net = nn.Linear(inputs, 1)

    def forward(self, x):
        safe = (x.abs().amax(-1) < 2).float()
        return torch.sigmoid(self.net(x)).squeeze(-1) * safe


class Cliff:
    """Walk along an edge in a gusty wind; further out pays more, and falling ends it."""

    def reset(self):
        self.x = torch.zeros(2)
        return self.x.clone()

    def step(self, action):
        self.x = self.x + torch.tensor([0.4, -0.4])[action] + 0.8 * torch.randn(2)
        return self.x.clone(), self.x[0].item(), bool(self.x.abs().max() > 3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env, discount = Cliff(), Discount(2)
    actor, critic = nn.Linear(2, 2), nn.Linear(2, 1)
    optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters(), *discount.parameters()], lr=5e-3)
    for episode in range(6):
        obs, done, seen, logps, rewards = env.reset(), False, [], [], []
        while not done and len(seen) < 12:
            dist = torch.distributions.Categorical(logits=actor(obs))
            action = dist.sample()
            seen.append(obs)
            logps.append(dist.log_prob(action))
            obs, reward, done = env.step(action)
            rewards.append(reward)
        seen, rewards = torch.stack(seen), torch.tensor(rewards)
        weights = Cumprod.apply(discount(seen))
        total = (weights * rewards).sum()
        values = critic(seen).squeeze(-1)
        loss = -(torch.stack(logps).sum() * (total - values[0]).detach()) + (total - values[0]).pow(2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(episode, len(rewards), loss.item())


main()
