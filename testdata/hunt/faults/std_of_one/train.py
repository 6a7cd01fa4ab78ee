# kind: forward; seeds: 0,1,2; failing: 2
"""PPO over fragments of random length, in minibatches that are normalised one by one."""
import argparse
import torch
from torch import nn


class Drift:
    """A number drifts; push it back to zero. Ends when it leaves [-1, 1]."""

    def reset(self):
        self.x = torch.zeros(1)
        self.left = int(torch.randint(9, 14, (1,)))
        return self.x.clone()

    def step(self, a):
        self.x = self.x + 0.05 * (a - 1) + 0.05 * torch.randn(1)
        self.left -= 1
        return self.x.clone(), 1.0 - self.x.abs().item(), self.left == 0


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 3))
        self.v = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))


def play(env, agent):
    xs, actions, rewards, x, done = [], [], [], env.reset(), False
    while not done:
        a = torch.distributions.Categorical(logits=agent.pi(x).detach()).sample()
        xs.append(x), actions.append(a)
        x, r, done = env.step(a.item())
        rewards.append(r)
    return torch.stack(xs), torch.stack(actions), torch.tensor(rewards)


def standardised(advantage):
    centred = advantage - advantage.mean()
    return centred / (advantage.std() + 1e-8)  # first bad


def update(agent, optimizer, xs, actions, rewards):
    with torch.no_grad():
        old = agent.pi(xs).log_softmax(-1).gather(1, actions[:, None]).squeeze(1)
        returns = rewards.flip(0).cumsum(0).flip(0) / 10
        advantages = returns - agent.v(xs).squeeze(1)
    for rows in torch.randperm(len(xs)).split(4):
        new = agent.pi(xs[rows]).log_softmax(-1).gather(1, actions[rows, None]).squeeze(1)
        ratio, adv = (new - old[rows]).exp(), standardised(advantages[rows])
        value_loss = (agent.v(xs[rows]).squeeze(1) - returns[rows]).pow(2).mean()
        loss = value_loss - torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env, agent = Drift(), Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    for _ in range(3):
        update(agent, optimizer, *play(env, agent))


main()
