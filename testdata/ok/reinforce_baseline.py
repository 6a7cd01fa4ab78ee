"""REINFORCE with a learned baseline over batches of whole episodes of different length.

Trap: padded log-probs are multiplied by a mask before the sum, and the sum is divided by a clamped count. The
baseline is trained by its own optimiser on the same returns; the advantage is a difference of returns and values that
are both without gradient.
"""

import argparse

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence


class Hallway:
    """Find the door at the end of a hallway whose length is shown; a third action knocks for a hint and costs."""

    def __init__(self):
        self.length = int(torch.randint(2, 7, ()).item())
        self.place = 0

    def observe(self):
        return torch.tensor([self.place / 6.0, self.length / 6.0, float(self.place == self.length)])

    def step(self, action):
        if action == 2:
            return (2.0 if self.place == self.length else -0.3), self.place == self.length
        self.place = max(0, self.place + (1 if action == 1 else -1))
        return -0.05, False


def episode(policy, limit):
    env, observations, actions, rewards = Hallway(), [], [], []
    for _ in range(limit):
        x = env.observe()
        with torch.no_grad():
            a = torch.distributions.Categorical(logits=policy(x)).sample()
        reward, done = env.step(a.item())
        observations.append(x)
        actions.append(a)
        rewards.append(reward)
        if done:
            break
    return torch.stack(observations), torch.stack(actions), torch.tensor(rewards)


def returns_to_go(rewards, gamma=0.98):
    weights = gamma ** torch.arange(len(rewards), dtype=torch.float32)
    discounted = (rewards * weights).flip(0).cumsum(0).flip(0)
    return discounted / weights


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=150)
    parser.add_argument("--episodes", type=int, default=16)
    parser.add_argument("--limit", type=int, default=25)
    args = parser.parse_args()

    torch.manual_seed(1)
    policy = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 3))
    baseline = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 1))
    policy_optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
    baseline_optimizer = torch.optim.Adam(baseline.parameters(), lr=5e-3)

    for update in range(args.updates):
        batch = [episode(policy, args.limit) for _ in range(args.episodes)]
        observations = pad_sequence([b[0] for b in batch], batch_first=True)
        actions = pad_sequence([b[1] for b in batch], batch_first=True)
        returns = pad_sequence([returns_to_go(b[2]) for b in batch], batch_first=True)
        lengths = torch.tensor([len(b[2]) for b in batch])
        mask = (torch.arange(returns.size(1)) < lengths.unsqueeze(1)).float()

        with torch.no_grad():
            advantages = returns - baseline(observations).squeeze(-1)
        logps = torch.log_softmax(policy(observations), dim=-1)
        logps = logps.gather(2, actions.unsqueeze(2)).squeeze(2)
        policy_loss = -(logps * advantages * mask).sum() / mask.sum().clamp(min=1.0)
        policy_optimizer.zero_grad()
        policy_loss.backward()
        policy_optimizer.step()

        for _ in range(5):
            errors = (baseline(observations).squeeze(-1) - returns) * mask
            baseline_loss = errors.pow(2).sum() / mask.sum().clamp(min=1.0)
            baseline_optimizer.zero_grad()
            baseline_loss.backward()
            baseline_optimizer.step()
        if update % 30 == 0:
            score = torch.stack([b[2].sum() for b in batch]).mean().item()
            print(f"{update} return {score:.3f} length {lengths.float().mean():.1f} baseline loss {baseline_loss.item():.3f}")


if __name__ == "__main__":
    main()
