"""A small MuZero: learned dynamics, Monte Carlo tree search, policy targets from visit counts.

Trap: torch.multinomial draws from visit counts raised to 1 / temperature: non-negative integers, not probabilities. The
policy loss is a cross-entropy of raw logits against visit frequencies. A min-max normaliser divides only if the range is
positive.
"""

import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

SIZE, ACTIONS = 7, 2


class Model(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.represent = nn.Sequential(nn.Linear(SIZE, width), nn.Tanh())
        self.dynamics = nn.Sequential(nn.Linear(width + ACTIONS, width), nn.Tanh())
        self.reward, self.value, self.policy = nn.Linear(width, 1), nn.Linear(width, 1), nn.Linear(width, ACTIONS)

    def initial(self, x):
        h = self.represent(x)
        return h, self.policy(h), self.value(h).squeeze(-1)

    def recurrent(self, h, a):
        h = self.dynamics(torch.cat([h, F.one_hot(a, ACTIONS).float()], dim=-1))
        return h, self.reward(h).squeeze(-1), self.policy(h), self.value(h).squeeze(-1)


class MinMax:
    def __init__(self):
        self.low, self.high = math.inf, -math.inf

    def update(self, value):
        self.low, self.high = min(self.low, value), max(self.high, value)

    def normalise(self, value):
        return (value - self.low) / (self.high - self.low) if self.high > self.low else value


class Node:
    def __init__(self, prior):
        self.prior, self.visits, self.total, self.reward, self.children, self.hidden = prior, 0, 0.0, 0.0, [], None

    def value(self):
        return self.total / self.visits if self.visits else 0.0

    def expand(self, hidden, reward, logits):
        self.hidden, self.reward = hidden, reward
        self.children = [Node(p) for p in F.softmax(logits, dim=-1).squeeze(0).tolist()]


@torch.no_grad()
def search(model, x, simulations, gamma):
    root, bounds = Node(0.0), MinMax()
    hidden, logits, _ = model.initial(x.unsqueeze(0))
    root.expand(hidden, 0.0, logits)
    for _ in range(simulations):
        node, path = root, [root]
        while node.children:
            scale = math.sqrt(max(1, node.visits))
            scores = [1.25 * child.prior * scale / (1 + child.visits) +
                      (bounds.normalise(child.reward + gamma * child.value()) if child.visits else 0.0)
                      for child in node.children]
            action = max(range(ACTIONS), key=scores.__getitem__)
            parent, node = node, node.children[action]
            path.append(node)
        hidden, reward, logits, value = model.recurrent(parent.hidden, torch.tensor([action]))
        node.expand(hidden, reward.item(), logits)
        backed = value.item()
        for visited in reversed(path):
            visited.total += backed
            visited.visits += 1
            bounds.update(visited.reward + gamma * visited.value())
            backed = visited.reward + gamma * backed
    return torch.tensor([float(child.visits) for child in root.children]), root.value()


def play(model, simulations, temperature, gamma):
    place, history = 0, []
    for _ in range(15):
        x = F.one_hot(torch.tensor(place), SIZE).float()
        visits, value = search(model, x, simulations, gamma)
        action = torch.multinomial(visits ** (1.0 / temperature), num_samples=1).item()
        place = min(SIZE - 1, place + 1) if action == 1 else max(0, place - 1)
        reward = 1.0 if place == SIZE - 1 else 0.0
        history.append((x, action, reward, visits / visits.sum(), value))
        if reward > 0:
            break
    returns, running = [], 0.0
    for _, _, reward, _, _ in reversed(history):
        running = reward + gamma * running
        returns.insert(0, running)
    return history, returns


def loss_of(model, game, unroll):
    history, returns = game
    total = torch.zeros(())
    for start in range(len(history)):
        hidden, logits, value = model.initial(history[start][0].unsqueeze(0))
        for t in range(start, min(start + unroll, len(history))):
            _, action, reward, frequencies, _ = history[t]
            total = total - (frequencies * F.log_softmax(logits.squeeze(0), dim=-1)).sum()
            total = total + (value.squeeze(0) - returns[t]).pow(2)
            hidden, predicted, logits, value = model.recurrent(hidden, torch.tensor([action]))
            total = total + (predicted.squeeze(0) - reward).pow(2)
    return total / len(history)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--simulations", type=int, default=12)
    args = parser.parse_args()
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    memory = []
    for number in range(args.games):
        temperature = 1.0 if number < args.games // 2 else 0.5
        memory = (memory + [play(model, args.simulations, temperature, gamma=0.95)])[-50:]
        for _ in range(2):
            loss = loss_of(model, memory[int(torch.randint(len(memory), ()))], unroll=3)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if number % 20 == 0:
            print(f"{number} length {len(memory[-1][0])} first return {memory[-1][1][0]:.3f} loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
