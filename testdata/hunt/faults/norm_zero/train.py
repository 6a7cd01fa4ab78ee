# kind: backward; seeds: 0,1; failing: 0,1
"""A2C in a room with walls, with a reward for moving far in feature space."""
import argparse
import random

import torch
from torch.distributions import Categorical

from layers import Encoder, Head, Novelty

MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]


class Room:
    """Seven by seven cells; whoever runs into a wall stays where they are."""

    size = 7

    def reset(self):
        self.x, self.y = random.randrange(1, 6), random.randrange(1, 6)
        self.left = 8
        return self._see()

    def _see(self):
        return torch.tensor([self.x / self.size, self.y / self.size, self.left / 20])[:2]

    def step(self, action):
        dx, dy = MOVES[action]
        self.x = min(self.size - 1, max(0, self.x + dx))
        self.y = min(self.size - 1, max(0, self.y + dy))
        self.left -= 1
        goal = (self.x, self.y) == (6, 6)
        return self._see(), float(goal), goal or self.left == 0


def main(seed, updates=25):
    torch.manual_seed(seed)
    random.seed(seed)
    env = Room()
    encoder = Encoder(2, 16)
    novelty, actor, critic = Novelty(encoder), Head(16, 4), Head(16, 1)
    parameters = [*encoder.parameters(), *actor.parameters(), *critic.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=7e-4)
    for update in range(updates):
        obs, done = env.reset(), False
        seen, after, actions, rewards = [], [], [], []
        while not done:
            seen.append(obs)
            with torch.no_grad():
                action = Categorical(logits=actor(encoder(obs))).sample()
            obs, reward, done = env.step(int(action))
            after.append(obs)
            actions.append(action)
            rewards.append(reward)
        seen, after, actions = torch.stack(seen), torch.stack(after), torch.stack(actions)
        far = novelty(seen, after)
        returns = torch.zeros(len(rewards))
        g = 0.0
        for i in reversed(range(len(rewards))):
            g = rewards[i] + far[i].item() * 0.1 + 0.95 * g
            returns[i] = g
        features = encoder(seen)
        values = critic(features).squeeze(-1)
        dist = Categorical(logits=actor(features))
        policy_loss = -(dist.log_prob(actions) * (returns - values).detach()).mean()
        loss = policy_loss + (returns - values).pow(2).mean() - 0.05 * far.mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 0.5)
        optimizer.step()
    print("updates", updates, "loss", loss.item())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    main(parser.parse_args().seed)
