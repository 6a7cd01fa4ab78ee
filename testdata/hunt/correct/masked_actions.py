"""PPO for a card game: logits of cards that were played are -inf.

The entropy is taken over the legal cards alone, and a card that is picked is legal, so
that no -inf is ever multiplied or picked.
"""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

CARDS = 5


class Trick:
    def reset(self):
        self.hand = torch.ones(CARDS, dtype=torch.bool)
        self.open = int(torch.randint(CARDS, (1,)))
        return self.see()

    def see(self):
        return torch.cat([self.hand.float(), F.one_hot(torch.tensor(self.open), CARDS).float()]), self.hand.clone()

    def step(self, card):
        reward = float(max(0, card - self.open))
        self.hand[card] = False
        self.open = int(torch.randint(CARDS, (1,)))
        return self.see(), reward, not bool(self.hand.any())


def log_probs(net, obs, legal):
    return F.log_softmax(net(obs).masked_fill(~legal, -torch.inf), dim=-1)


def entropy(logp, legal):
    finite = torch.where(legal, logp, torch.zeros_like(logp))
    return -(finite.exp() * finite * legal).sum(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env = Trick()
    net = nn.Sequential(nn.Linear(2 * CARDS, 24), nn.Tanh(), nn.Linear(24, CARDS))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    for update in range(12):
        seen, legal, cards, rewards = [], [], [], []
        (obs, hand), done = env.reset(), False
        while not done:
            with torch.no_grad():
                card = int(torch.multinomial(log_probs(net, obs, hand).exp(), 1))
            seen.append(obs), legal.append(hand), cards.append(card)
            (obs, hand), reward, done = env.step(card)
            rewards.append(reward)
        seen, legal, cards = torch.stack(seen), torch.stack(legal), torch.tensor(cards)[:, None]
        togo = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
        advantage = togo - togo.mean()
        with torch.no_grad():
            old = log_probs(net, seen, legal).gather(1, cards).squeeze(1)
        for _ in range(3):
            logp = log_probs(net, seen, legal)
            ratio = (logp.gather(1, cards).squeeze(1) - old).exp()
            surrogate = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
            loss = -surrogate - 0.01 * entropy(logp, legal).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print("reward", sum(rewards))


main()
