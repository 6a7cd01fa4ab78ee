"""A2C over episodes in a buffer that NaN fills where an episode is over; means skip it."""
import argparse

import numpy as np
import torch
from torch import nn

EPISODES, LONGEST = 6, 15


class Tightrope:
    def reset(self):
        self.lean, self.t = 0.0, 0
        return [self.lean, 0.0]

    def step(self, a):
        self.lean += 0.25 * np.random.randn() + (0.1 if a else -0.1)
        self.t += 1
        return [self.lean, self.t / LONGEST], 1.0, abs(self.lean) > 1 or self.t == LONGEST


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    np.random.seed(seed)
    torch.manual_seed(seed)
    env, pi, v = Tightrope(), nn.Linear(2, 2), nn.Linear(2, 1)
    optimizer = torch.optim.Adam([*pi.parameters(), *v.parameters()], lr=1e-2)
    for update in range(10):
        rewards = np.full((EPISODES, LONGEST), np.nan, dtype=np.float32)
        observations = torch.full((EPISODES, LONGEST, 2), float("nan"))
        actions = torch.zeros(EPISODES, LONGEST, dtype=torch.long)
        for e in range(EPISODES):
            obs, done, t = env.reset(), False, 0
            while not done:
                x = torch.tensor(obs, dtype=torch.float32)
                observations[e, t] = x
                a = torch.distributions.Categorical(logits=pi(x).detach()).sample()
                actions[e, t] = a
                obs, rewards[e, t], done = env.step(int(a))
                t += 1
        lengths = np.nansum(rewards, 1)
        valid = torch.from_numpy(~np.isnan(rewards))
        filled = torch.nan_to_num(torch.from_numpy(rewards))
        togo = filled.flip(1).cumsum(1).flip(1)[valid] / LONGEST
        x, a = observations[valid], actions[valid]
        value = v(x).squeeze(1)
        logp = torch.log_softmax(pi(x), -1).gather(1, a[:, None]).squeeze(1)
        loss = -(logp * (togo - value).detach()).mean() + (togo - value).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("length %.2f" % np.nanmean(lengths))


main()
