"""Statistics of rewards and gradients that go to a log and nowhere else.

Trap: std over groups, over a list of one, over the batch; ratios of norms printed as health signals with the division done
only for display and guarded; explained variance with its own guard. The training signal is a plain difference of
rewards and a running mean.
"""

import argparse
import statistics
from collections import defaultdict

import torch
import torch.nn as nn
from torch.distributions import Categorical


class Meter:
    def __init__(self):
        self.values = defaultdict(list)

    def add(self, **kwargs):
        for name, value in kwargs.items():
            self.values[name].append(float(value))

    def report(self):
        parts = []
        for name, values in self.values.items():
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            parts.append(f"{name} {statistics.fmean(values):.3f}±{spread:.3f}")
        self.values.clear()
        return "  ".join(parts)


def explained_variance(predicted, actual):
    variance = actual.var()
    return float("nan") if variance == 0 else (1 - (actual - predicted).var() / variance).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--group", type=int, default=8)
    args = parser.parse_args()

    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 4))
    critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
    parameters = [*policy.parameters(), *critic.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=3e-3)
    meter, baseline = Meter(), 0.0
    for update in range(args.updates):
        x = torch.randn(16, 4).repeat_interleave(args.group, dim=0)
        dist, value = Categorical(logits=policy(x)), critic(x).squeeze(-1)
        action = dist.sample()
        reward = x.gather(1, action.unsqueeze(1)).squeeze(1)
        within = reward.view(-1, args.group).std(dim=1)
        meter.add(reward=reward.mean(), reward_std=reward.std(), group_std=within.mean(), flat_groups=(within == 0).sum(),
                  first_group_std=reward[:args.group].std(), explained=explained_variance(value.detach(), reward))

        loss = -(dist.log_prob(action) * (reward - baseline)).mean() + 0.5 * (value - reward).pow(2).mean()
        baseline = 0.9 * baseline + 0.1 * reward.mean().item()
        optimizer.zero_grad()
        loss.backward()
        policy_norm = torch.stack([p.grad.norm() for p in policy.parameters()]).norm()
        critic_norm = torch.stack([p.grad.norm() for p in critic.parameters()]).norm()
        meter.add(norm_ratio=policy_norm / max(critic_norm.item(), 1e-12), logit_std=dist.logits.std())
        optimizer.step()
        if update % 20 == 19:
            print(update + 1, meter.report())


if __name__ == "__main__":
    main()
