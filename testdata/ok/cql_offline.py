"""Conservative Q-learning on a fixed data set.

Trap: logsumexp over actions minus the Q of the data is a penalty, not a log-ratio nor a log-prob. Q values are divided
by a temperature and softmaxed for the behaviour at evaluation.
"""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def make_dataset(size):
    """Logged decisions of a clumsy behaviour policy on a line of ten cells."""
    x = torch.randint(0, 10, (size,))
    behaviour = torch.where(torch.rand(size) < 0.3, 1, 0)
    y = (x + 2 * behaviour - 1).clamp(0, 9)
    reward = (y == 9).float()
    return x, behaviour, reward, y, (y == 9).float()


def features(x):
    return F.one_hot(x, 10).float()


class QFunction(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(10, 64), nn.Linear(64, 2)])

    def forward(self, x):
        return self.layers[1](torch.relu(self.layers[0](x)))


def cql_penalty(q, taken, temperature):
    return (temperature * torch.logsumexp(q / temperature, dim=1) - taken).mean()


def evaluate(q, episodes=50, temperature=0.05):
    score = 0.0
    with torch.no_grad():
        for _ in range(episodes):
            x = torch.tensor(0)
            for t in range(20):
                weights = torch.softmax(q(features(x)) / temperature, dim=-1)
                x = (x + 2 * torch.multinomial(weights, 1).squeeze() - 1).clamp(0, 9)
                if x == 9:
                    score += 0.95 ** t
                    break
    return score / episodes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--cql-alpha", type=float, default=0.02)
    parser.add_argument("--temperature", type=float, default=1.0)
    args = parser.parse_args()

    torch.manual_seed(0)
    data = make_dataset(5000)
    online = QFunction()
    target = copy.deepcopy(online)
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    for step in range(args.steps):
        index = torch.randint(0, 5000, (128,))
        x, a, r, y, terminated = (column[index] for column in data)
        q = online(features(x))
        taken = q.gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            goal = r + 0.95 * (1 - terminated) * target(features(y)).amax(dim=1)
        bellman = F.smooth_l1_loss(taken, goal)
        loss = bellman + args.cql_alpha * cql_penalty(q, taken, args.temperature)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            target.load_state_dict(online.state_dict())
        if step % 500 == 0:
            print(f"{step} bellman {bellman.item():.4f} score {evaluate(online):.3f}")


if __name__ == "__main__":
    main()
