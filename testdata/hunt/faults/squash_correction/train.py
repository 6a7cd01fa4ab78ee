# kind: forward; seeds: 0,1,2; failing: 0
"""SAC with a temperature that is learnt, on a thermostat."""
import argparse
import random

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal


class Thermostat:
    """Hold a room at a temperature; the heater has one knob in [-1, 1]."""

    def reset(self):
        self.room, self.t = random.uniform(-3, 3), 0
        return [self.room]

    def step(self, knob):
        self.room = 0.95 * self.room + 0.5 * knob
        self.t += 1
        return [self.room], -self.room**2, self.t == 20


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 24), nn.ReLU(), nn.Linear(24, 2))
        nn.init.constant_(self.net[2].bias, 0.8)

    def forward(self, obs):
        mean, log_std = self.net(obs).chunk(2, -1)
        dist = Normal(mean, log_std.clamp(-5, 2).exp())
        raw = dist.rsample()
        action = torch.tanh(raw)
        logp = dist.log_prob(raw) - torch.log(1 - action**2)  # first bad
        return action, logp.squeeze(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    random.seed(seed)
    torch.manual_seed(seed)
    env, actor = Thermostat(), Actor()
    critic = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 1))
    log_alpha = torch.zeros(1, requires_grad=True)
    optimizers = [torch.optim.Adam(p, lr=0.03) for p in (actor.parameters(), critic.parameters(), [log_alpha])]
    memory = []
    for episode in range(6):
        obs, done = env.reset(), False
        while not done:
            with torch.no_grad():
                action = actor(torch.tensor(obs))[0].item()
            after, reward, done = env.step(action)
            memory.append((obs, [action], reward, after))
            obs = after
        for _ in range(10):
            s, a, r, s2 = (torch.tensor(c) for c in zip(*random.choices(memory, k=32)))
            with torch.no_grad():
                a2, logp2 = actor(s2)
                target = r + 0.9 * (critic(torch.cat([s2, a2], -1)).squeeze(-1) - log_alpha.exp() * logp2)
            critic_loss = F.mse_loss(critic(torch.cat([s, a], -1)).squeeze(-1), target)
            new, logp = actor(s)
            actor_loss = (log_alpha.exp().detach() * logp - critic(torch.cat([s, new], -1)).squeeze(-1)).mean()
            alpha_loss = -(log_alpha.exp() * (logp.detach() - 1.0)).mean()
            # The actor comes first: what its loss leaves in the critic is cleared again.
            for optimizer, loss in zip(optimizers, (actor_loss, critic_loss, alpha_loss)):
                optimizer.zero_grad()
                loss.backward()
            for optimizer in optimizers:
                optimizer.step()
        print(episode, reward)


if __name__ == "__main__":
    main()
