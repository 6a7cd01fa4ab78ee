"""PPO that clips in log space: the bounds are logarithms too.

Trap: `clamp(log_ratio, log1p(-e), log1p(e))` is a clamp of a log-ratio, and its result is exponentiated before it
weighs the advantage. A second clamp of the log-ratio to [-20, 20] is a guard against overflow, not a clip.
"""

import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class GridPolicy(nn.Module):
    def __init__(self, cells, actions):
        super().__init__()
        self.table = nn.Embedding(cells, actions)
        self.values = nn.Embedding(cells, 1)
        nn.init.zeros_(self.table.weight)
        nn.init.zeros_(self.values.weight)

    def log_probs(self, cells):
        return F.log_softmax(self.table(cells), dim=-1)

    def value(self, cells):
        return self.values(cells).squeeze(-1)


class Grid:
    """A 5 by 5 grid; the goal is the far corner; an episode ends there."""

    side = 5
    moves = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])

    def reset(self):
        self.position, self.clock = torch.tensor([0, 0]), 0
        return self.cell()

    def cell(self):
        return self.position[0] * self.side + self.position[1]

    def step(self, action):
        self.clock += 1
        self.position = (self.position + self.moves[action]).clamp(0, self.side - 1)
        done = bool((self.position == self.side - 1).all())
        return self.cell(), 1.0 if done else -0.05, done, self.clock >= 40


def rollout(env, policy, episodes, gamma):
    cells, actions, logps, returns, total = [], [], [], [], 0.0
    with torch.no_grad():
        for _ in range(episodes):
            cell, rewards, finished = env.reset(), [], False
            while not finished:
                table = policy.log_probs(cell)
                action = torch.multinomial(table.exp(), 1).squeeze(-1)
                following, reward, terminated, truncated = env.step(action)
                cells.append(cell)
                actions.append(action)
                logps.append(table[action])
                rewards.append(reward)
                cell, finished = following, terminated or truncated
            total += sum(rewards)
            running, out = (0.0 if terminated else policy.value(cell).item()), []
            for reward in reversed(rewards):
                running = reward + gamma * running
                out.insert(0, running)
            returns += out
    return torch.stack(cells), torch.stack(actions), torch.stack(logps), torch.tensor(returns), total / episodes


def loss_of(policy, cells, actions, old_logps, returns, advantages, eps):
    logps = policy.log_probs(cells).gather(1, actions.unsqueeze(1)).squeeze(1)
    log_ratio = torch.clamp(logps - old_logps, -20.0, 20.0)
    low, high = math.log1p(-eps), math.log1p(eps)
    clipped_log_ratio = torch.clamp(log_ratio, low, high)
    objective = torch.min(log_ratio.exp() * advantages, clipped_log_ratio.exp() * advantages)
    return -objective.mean() + 0.5 * F.mse_loss(policy.value(cells), returns)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--episodes", type=int, default=8)
    parser.add_argument("--eps", type=float, default=0.2)
    args = parser.parse_args()
    torch.manual_seed(2)
    env = Grid()
    policy = GridPolicy(env.side ** 2, len(env.moves))
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.05)
    for iteration in range(args.iterations):
        cells, actions, logps, returns, score = rollout(env, policy, args.episodes, gamma=0.97)
        with torch.no_grad():
            advantages = returns - policy.value(cells)
            advantages = (advantages - advantages.mean()) / advantages.std().clamp_min(1e-6)
        for _ in range(5):
            loss = loss_of(policy, cells, actions, logps, returns, advantages, args.eps)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if iteration % 10 == 0:
            print(f"{iteration} return {score:.3f} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
