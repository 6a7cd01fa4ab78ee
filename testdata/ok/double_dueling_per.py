"""Double dueling DQN with prioritised replay.

Trap: torch.multinomial draws from priorities, |TD error| plus a constant to the power alpha: non-negative weights that
are neither probabilities nor logits. The dueling head subtracts a mean over actions, with keepdim; the weights of
importance sampling are divided by their maximum.
"""

import argparse

import torch
import torch.nn as nn


class Dueling(nn.Module):
    def __init__(self, inputs, actions, hidden=64):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU())
        self.value = nn.Linear(hidden, 1)
        self.advantage = nn.Linear(hidden, actions)

    def forward(self, x):
        h = self.trunk(x)
        a = self.advantage(h)
        return self.value(h) + a - a.mean(dim=1, keepdim=True)


class PrioritisedReplay:
    def __init__(self, capacity, inputs, alpha=0.6):
        self.x, self.y = torch.zeros(capacity, inputs), torch.zeros(capacity, inputs)
        self.a, self.r, self.d = (torch.zeros(capacity) for _ in range(3))
        self.priority = torch.zeros(capacity)
        self.capacity, self.alpha, self.size, self.cursor = capacity, alpha, 0, 0

    def add(self, x, a, r, y, d):
        i = self.cursor
        self.x[i], self.a[i], self.r[i], self.y[i], self.d[i] = x, a, r, y, d
        self.priority[i] = self.priority.max() if self.size else 1.0
        self.cursor = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, count, beta):
        weights = self.priority[:self.size] ** self.alpha
        index = torch.multinomial(weights, count, replacement=True)
        chance = weights[index] / weights.sum()
        correction = (self.size * chance) ** -beta
        correction = correction / correction.max()
        return index, correction, self.x[index], self.a[index].long(), self.r[index], self.y[index], self.d[index]

    def update(self, index, td_error):
        self.priority[index] = td_error.detach().abs() + 1e-3


class Cliff:
    """Walk along a cliff of width 8; falling ends the episode."""

    def reset(self):
        self.place, self.height = 0, 1
        return self.observe()

    def observe(self):
        return torch.tensor([self.place / 8.0, self.height / 3.0, 1.0])

    def step(self, action):
        if action == 0:
            self.place += 1
        else:
            self.height += 1 if action == 1 else -1
        if torch.rand(()) < 0.1:
            self.height -= 1
        self.height = min(self.height, 3)
        fell, home = self.height <= 0, self.place >= 8
        return self.observe(), (-1.0 if fell else 1.0 if home else -0.01), fell or home


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--batch", type=int, default=64)
    args = parser.parse_args()

    torch.manual_seed(0)
    env, online, target = Cliff(), Dueling(3, 3), Dueling(3, 3)
    target.load_state_dict(online.state_dict())
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    replay, gamma, x, finished = PrioritisedReplay(5000, 3), 0.97, env.reset(), []

    for step in range(args.steps):
        epsilon = max(0.05, 1.0 - step / (0.3 * args.steps))
        with torch.no_grad():
            greedy = online(x.unsqueeze(0)).argmax(dim=1).item()
        action = int(torch.randint(3, ()).item()) if torch.rand(()).item() < epsilon else greedy
        y, reward, done = env.step(action)
        replay.add(x, action, reward, y, float(done))
        x = y
        if done:
            finished.append(reward)
            x = env.reset()
        if replay.size < 500:
            continue

        beta = min(1.0, 0.4 + 0.6 * step / args.steps)
        index, correction, bx, ba, br, by, bd = replay.sample(args.batch, beta)
        with torch.no_grad():
            choice = online(by).argmax(dim=1, keepdim=True)
            bootstrap = target(by).gather(1, choice).squeeze(1)
            goal = br + gamma * (1.0 - bd) * bootstrap
        q = online(bx).gather(1, ba.unsqueeze(1)).squeeze(1)
        td_error = goal - q
        loss = (correction * td_error.pow(2)).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(online.parameters(), 10.0)
        optimizer.step()
        replay.update(index, td_error)
        if step % 250 == 0:
            target.load_state_dict(online.state_dict())
        if step % 1000 == 0:
            recent = finished[-50:]
            print(f"{step} last rewards {sum(recent) / max(1, len(recent)):.3f} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
