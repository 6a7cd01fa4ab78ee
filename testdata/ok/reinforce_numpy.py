"""REINFORCE without torch: a two-layer network and its gradient by hand.

Trap: `rng.choice(p=...)` gets a softmax, computed stably by subtracting the maximum. `probs - one_hot` is a gradient
of log-probs, not a group advantage. Returns are standardised with an epsilon.
"""

import argparse

import numpy as np


def softmax(z):
    z = z - z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


class Catch:
    """Catch a falling ball with a paddle on a 7 by 5 board."""

    width, height = 7, 5

    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.ball = [int(self.rng.integers(self.width)), 0]
        self.paddle = self.width // 2
        return self.observe()

    def observe(self):
        return np.array([self.ball[0] / self.width, self.ball[1] / self.height, self.paddle / self.width, 1.0])

    def step(self, action):
        self.paddle = int(np.clip(self.paddle + action - 1, 0, self.width - 1))
        self.ball[1] += 1
        done = self.ball[1] == self.height
        return self.observe(), float(done and abs(self.ball[0] - self.paddle) <= 1), done


class Network:
    def __init__(self, rng, inputs, hidden, actions):
        self.w1 = rng.normal(0, 1 / np.sqrt(inputs), (inputs, hidden))
        self.w2 = rng.normal(0, 1 / np.sqrt(hidden), (hidden, actions))

    def forward(self, x):
        hidden = np.tanh(x @ self.w1)
        return hidden, softmax(hidden @ self.w2)

    def gradient(self, x, hidden, probs, actions, weights):
        """Return the gradient of -sum(weights * log p(action)) for both layers."""
        score = probs.copy()
        score[np.arange(len(actions)), actions] -= 1.0
        score *= weights[:, None]
        back = (score @ self.w2.T) * (1.0 - hidden ** 2)
        return x.T @ back, hidden.T @ score


def run_episode(env, network, rng):
    x, xs, actions, rewards, done = env.reset(), [], [], [], False
    while not done:
        _, probs = network.forward(x[None])
        action = rng.choice(3, p=probs[0])
        xs.append(x)
        actions.append(action)
        x, reward, done = env.step(action)
        rewards.append(reward)
    return np.array(xs), np.array(actions), np.cumsum(rewards[::-1])[::-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=400)
    parser.add_argument("--episodes", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.5)
    args = parser.parse_args()

    rng = np.random.default_rng(0)
    env, network = Catch(rng), Network(rng, 4, 32, 3)
    for update in range(args.updates):
        xs, actions, returns = map(np.concatenate, zip(*(run_episode(env, network, rng) for _ in range(args.episodes))))
        advantages = (returns - returns.mean()) / (returns.std() + 1e-8)
        hidden, probs = network.forward(xs)
        g1, g2 = network.gradient(xs, hidden, probs, actions, advantages / len(actions))
        network.w1 -= args.lr * g1
        network.w2 -= args.lr * g2
        if update % 100 == 0:
            print(f"{update} caught {returns.mean():.3f}")


if __name__ == "__main__":
    main()
