"""PPO on a toy task: thirty-two walkers on a line of ten cells, paid at its right end."""

import torch
from torch.distributions import Categorical

CELLS, HORIZON = 10, 16


class Line:
    """The walkers, who all begin at the left end."""

    def reset(self):
        self.at = torch.zeros(32, dtype=torch.long)
        return self.observe()

    def observe(self):
        return torch.nn.functional.one_hot(self.at, CELLS).float()

    def step(self, action):
        self.at = (self.at + 2 * action - 1).clamp(0, CELLS - 1)
        return self.observe(), (self.at == CELLS - 1).float()


policy = torch.nn.Sequential(torch.nn.Linear(CELLS, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
env = Line()


def collect():
    obs, states, actions, logps, rewards = env.reset(), [], [], [], []
    with torch.no_grad():
        for _ in range(HORIZON):
            dist = Categorical(logits=policy(obs))
            action = dist.sample()
            states.append(obs)
            actions.append(action)
            logps.append(dist.log_prob(action))
            obs, reward = env.step(action)
            rewards.append(reward)
    return torch.stack(states), torch.stack(actions), torch.stack(logps), torch.stack(rewards)


def update(states, actions, old_logps, rewards, clip=0.2):
    returns = rewards.flip(0).cumsum(0).flip(0)
    advantages = (returns - returns.mean()) / returns.std()
    for _ in range(4):
        logps = Categorical(logits=policy(states)).log_prob(actions)
        ratio = logps - old_logps
        clipped = torch.clamp(ratio, 1 - clip, 1 + clip)
        loss = -torch.min(ratio * advantages, clipped * advantages).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


for iteration in range(10):
    print(iteration, update(*collect()))
