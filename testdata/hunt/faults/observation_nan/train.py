# kind: environment; seeds: 0,1; failing: 0,1
"""PPO on a pendulum whose observations are normalised by a wrapper."""
import argparse

import numpy as np
import torch
from torch import nn


class Pendulum:
    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.angle, self.speed, self.t = self.rng.uniform(-0.3, 0.3), 0.0, 0
        return self._obs()

    def _obs(self):
        upright = 1.0 if abs(self.angle) < 1.2 else 0.0
        return np.array([np.cos(self.angle), np.sin(self.angle), self.speed, upright])

    def step(self, torque):
        self.speed = float(np.clip(self.speed + 0.3 * np.sin(self.angle) + 0.1 * torque, -3, 3))
        self.angle += 0.1 * self.speed
        self.t += 1
        return self._obs(), float(np.cos(self.angle)), self.t == 20


class Scaled:
    """Divides observations by the deviation of the last episode."""

    def __init__(self, env):
        self.env, self.mean, self.std, self.seen = env, np.zeros(4), np.ones(4), []

    def reset(self):
        if self.seen:
            self.mean, self.std = np.mean(self.seen, 0), np.std(self.seen, 0)
            self.seen = []
        return self._scale(self.env.reset())

    def step(self, action):
        obs, reward, done = self.env.step(action)
        return self._scale(obs), reward, done

    def _scale(self, obs):
        self.seen.append(obs)
        return (np.asarray(obs) - self.mean) / self.std  # first bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    torch.manual_seed(seed)
    env = Scaled(Pendulum(np.random.default_rng(seed)))
    policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    log_std = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.Adam([*policy.parameters(), log_std], lr=3e-3)
    for episode in range(8):
        obs, done, history = env.reset(), False, []
        while not done:
            x = torch.as_tensor(obs, dtype=torch.float32)
            with torch.no_grad():
                mean = policy(x)
                action = mean + log_std.exp() * torch.randn(1)
                logp = -0.5 * ((action - mean) / log_std.exp()) ** 2 - log_std
            obs, reward, done = env.step(action.item())
            history.append((x, action, logp, reward))
        xs, actions, old = (torch.stack(c) for c in list(zip(*history))[:3])
        togo = torch.tensor([h[3] for h in history]).flip(0).cumsum(0).flip(0)[:, None]
        advantage = (togo - togo.mean()) / (togo.std() + 1e-8)
        for _ in range(3):
            logp = -0.5 * ((actions - policy(xs)) / log_std.exp()) ** 2 - log_std
            ratio = (logp - old).exp()
            loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(episode, "%.3f" % togo[0].item())


if __name__ == "__main__":
    main()
