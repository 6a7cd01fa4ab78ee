"""Dual-clip PPO done right: the second bound applies to negative advantages only.

Trap: torch.max of a surrogate with `dual_clip * advantage` looks like a flipped min; a `where` on the sign of the
advantage keeps it to the negative ones. Asymmetric clip bounds 1 - low and 1 + high are both around one.
"""

import argparse

import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self, observations=4, actions=3, hidden=48):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(observations, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.pi = nn.Linear(hidden, actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.trunk(x)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def contextual_episode(policy, count):
    """One-step episodes: the right action is the index of the largest of the first three inputs."""
    x = torch.randn(count, 4)
    with torch.no_grad():
        dist, value = policy(x)
        action = dist.sample()
        logp = dist.log_prob(action)
    reward = (x[:, :3].argmax(dim=1) == action).float() - 0.1 * x[:, 3].abs()
    return x, action, logp, reward, reward - value


def surrogate(ratio, advantage, low, high, dual):
    clipped = ratio.clamp(1.0 - low, 1.0 + high)
    pessimistic = torch.min(ratio * advantage, clipped * advantage)
    bounded = torch.max(pessimistic, dual * advantage)
    return torch.where(advantage < 0, bounded, pessimistic)


def update(policy, optimizer, data, args):
    x, action, old_logp, reward, advantage = data
    advantage = (advantage - advantage.mean()) / advantage.std().add(1e-8)
    for _ in range(args.epochs):
        for index in torch.randperm(x.size(0)).split(args.minibatch):
            dist, value = policy(x[index])
            ratio = (dist.log_prob(action[index]) - old_logp[index]).exp()
            pi_loss = -surrogate(ratio, advantage[index], args.clip_low, args.clip_high, args.dual_clip).mean()
            v_loss = nn.functional.mse_loss(value, reward[index])
            loss = pi_loss + 0.5 * v_loss - args.entropy * dist.entropy().mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
    return pi_loss.item(), v_loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--minibatch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--clip-low", type=float, default=0.2)
    parser.add_argument("--clip-high", type=float, default=0.28)
    parser.add_argument("--dual-clip", type=float, default=3.0)
    parser.add_argument("--entropy", type=float, default=0.01)
    args = parser.parse_args()

    torch.manual_seed(4)
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    for iteration in range(args.iterations):
        data = contextual_episode(policy, args.batch)
        losses = update(policy, optimizer, data, args)
        if iteration % 10 == 0:
            print(iteration, "reward %.3f" % data[3].mean().item(), "losses %.3f %.3f" % losses)


if __name__ == "__main__":
    main()
