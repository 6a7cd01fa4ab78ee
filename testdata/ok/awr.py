"""Advantage-weighted regression with several epochs on the same data.

Trap: many gradient steps on one rollout and neither ratio nor clip. The loss is weighted maximum likelihood, an
off-policy objective by design: advantages enter through a softmax-like weight that is normalised and bounded.
"""

import argparse
import math

import torch
import torch.nn as nn
from torch.distributions import Categorical


class Taxi:
    """On a ring of eight places, fetch at place 3 and bring to place 6."""

    places, limit = 8, 40

    def reset(self):
        self.place, self.loaded, self.clock = int(torch.randint(self.places, ())), 0, 0
        return self.observe()

    def observe(self):
        x = torch.zeros(self.places + 1)
        x[self.place], x[-1] = 1.0, float(self.loaded)
        return x

    def step(self, action):
        self.clock += 1
        self.place = (self.place + (1 if action == 1 else -1)) % self.places
        reward = -0.02
        if self.place == 3 and not self.loaded:
            self.loaded, reward = 1, 0.5
        done = self.place == 6 and self.loaded == 1
        return self.observe(), 1.0 if done else reward, done or self.clock >= self.limit


def rollouts(policy, count, gamma):
    env, states, actions, returns, total = Taxi(), [], [], [], 0.0
    for _ in range(count):
        x, done, rewards = env.reset(), False, []
        while not done:
            with torch.no_grad():
                a = Categorical(logits=policy(x)).sample()
            states.append(x)
            actions.append(a)
            x, r, done = env.step(a.item())
            rewards.append(r)
        total += sum(rewards)
        running, backwards = 0.0, []
        for r in reversed(rewards):
            running = r + gamma * running
            backwards.append(running)
        returns += backwards[::-1]
    return torch.stack(states), torch.stack(actions), torch.tensor(returns), total / count


def weights_of(advantages, temperature, bound=20.0):
    w = torch.exp(advantages / temperature)
    return torch.clamp(w, max=bound)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--episodes", type=int, default=16)
    parser.add_argument("--temperature", type=float, default=0.3)
    args = parser.parse_args()

    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(9, 64), nn.ReLU(), nn.Linear(64, 2))
    value = nn.Sequential(nn.Linear(9, 64), nn.ReLU(), nn.Linear(64, 1))
    policy_optimizer = torch.optim.Adam(policy.parameters(), lr=2e-3)
    value_optimizer = torch.optim.Adam(value.parameters(), lr=2e-3)

    for iteration in range(args.iterations):
        states, actions, returns, score = rollouts(policy, args.episodes, gamma=0.97)
        for _ in range(20):
            value_loss = (value(states).squeeze(-1) - returns).pow(2).mean()
            value_optimizer.zero_grad()
            value_loss.backward()
            value_optimizer.step()
        with torch.no_grad():
            advantages = returns - value(states).squeeze(-1)
        w = weights_of(advantages, args.temperature)
        for _ in range(5):
            for index in torch.randperm(len(w)).split(128):
                log_prob = Categorical(logits=policy(states[index])).log_prob(actions[index])
                policy_loss = -(w[index] * log_prob).mean()
                policy_optimizer.zero_grad()
                policy_loss.backward()
                policy_optimizer.step()
        if iteration % 10 == 0:
            spread = math.log(max(w.max().item(), 1e-6))
            print(f"{iteration} score {score:.3f} value loss {value_loss.item():.4f} largest log weight {spread:.2f}")


if __name__ == "__main__":
    main()
