"""PPO with invalid-action masking on the logits.

Trap: the logits of forbidden actions are filled with a large negative number, so they look like log-probs; they go
into Categorical(logits=...) all the same. The entropy uses the finite fill value, not -inf, so 0 * -inf never occurs.
Another form of the mask feeds torch.multinomial: softmax first, then zeroed and not renormalised, which is allowed.
"""

import argparse

import torch
import torch.nn as nn
from torch.distributions import Categorical

CARDS = 6


class CardGame:
    """Play all cards once; a card is worth its rank when played late. Played cards are forbidden."""

    def __init__(self, count):
        self.count = count
        self.reset()

    def reset(self):
        self.left = torch.ones(self.count, CARDS, dtype=torch.bool)
        return self.observe()

    def observe(self):
        return self.left.float()

    def step(self, action):
        turn = CARDS - self.left.sum(dim=1)
        self.left = self.left.scatter(1, action.unsqueeze(1), False)
        return self.observe(), (action * turn).float() / CARDS ** 2


class MaskedActor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(CARDS, 48), nn.Tanh(), nn.Linear(48, CARDS))

    def forward(self, x, mask):
        logits = self.net(x)
        return Categorical(logits=logits.masked_fill(~mask, torch.finfo(logits.dtype).min))

    @torch.no_grad()
    def explore(self, x, mask):
        weights = self.net(x).softmax(dim=-1) * mask.float()
        return torch.multinomial(weights + 1e-12 * mask, 1).squeeze(1)


def play(env, actor):
    observations, masks, actions, logps, rewards = [], [], [], [], []
    x = env.reset()
    for _ in range(CARDS):
        mask = env.left
        with torch.no_grad():
            dist = actor(x, mask)
            action = actor.explore(x, mask)
            logps.append(dist.log_prob(action))
        observations.append(x)
        masks.append(mask)
        actions.append(action)
        x, reward = env.step(action)
        rewards.append(reward)
    to_go = torch.stack(rewards).flip(0).cumsum(0).flip(0)
    return [torch.stack(part) for part in (observations, masks, actions, logps)] + [to_go]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--games", type=int, default=64)
    args = parser.parse_args()

    torch.manual_seed(12)
    env, actor = CardGame(args.games), MaskedActor()
    optimizer = torch.optim.Adam(actor.parameters(), lr=3e-3)
    for iteration in range(args.iterations):
        observations, masks, actions, old_logps, to_go = play(env, actor)
        centred = to_go - to_go.mean(dim=1, keepdim=True)
        advantages = centred / (to_go.std(dim=1, keepdim=True) + 1e-6)
        for _ in range(4):
            dist = actor(observations, masks)
            ratios = torch.exp(dist.log_prob(actions) - old_logps)
            clipped = torch.clamp(ratios, 0.8, 1.2)
            loss = -torch.min(ratios * advantages, clipped * advantages).mean() - 0.01 * dist.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if iteration % 25 == 0:
            print(f"{iteration} score {to_go[0].mean():.3f} entropy {dist.entropy().mean().item():.3f}")


if __name__ == "__main__":
    main()
