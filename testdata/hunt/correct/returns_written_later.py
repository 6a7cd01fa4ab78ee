"""PPO whose tables begin as NaN or uninitialised, and are written before they are read."""
import argparse

import numpy as np
import torch
from torch import nn

STEPS = 24


class Pulse:
    """Press when the light is on."""

    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.light = self.rng.random(2).astype(np.float32)
        return self.light

    def step(self, press):
        reward = float(press == (self.light[0] > self.light[1]))
        self.light = self.rng.random(2).astype(np.float32)
        return self.light, reward


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    env = Pulse(rng)
    policy, value = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2)), nn.Linear(2, 1)
    optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=5e-3)
    observations = torch.empty(STEPS, 2)
    logps = torch.empty(STEPS)
    for update in range(12):
        returns = np.full(STEPS, np.nan, dtype=np.float32)
        actions, rewards, obs = torch.zeros(STEPS, dtype=torch.long), np.empty(STEPS, dtype=np.float32), env.reset()
        with torch.no_grad():
            for t in range(STEPS):
                observations[t] = torch.from_numpy(obs)
                logp = torch.log_softmax(policy(observations[t]), -1)
                actions[t] = torch.multinomial(logp.exp(), 1)
                logps[t] = logp[actions[t]]
                obs, rewards[t] = env.step(int(actions[t]))
        running = np.float32(0)
        for t in reversed(range(STEPS)):
            running = rewards[t] + np.float32(0.5) * running
            returns[t] = running
        target = torch.from_numpy(returns)
        for _ in range(3):
            v = value(observations).squeeze(1)
            logp = torch.log_softmax(policy(observations), -1).gather(1, actions[:, None]).squeeze(1)
            ratio, advantage = (logp - logps).exp(), (target - v).detach()
            loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean() + (target - v).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print("reward %.3f" % rewards.mean())


main()
