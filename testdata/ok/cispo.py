"""CISPO: the importance weight is clipped and detached, and the log-prob carries the gradient.

Trap: `clamp(ratio, max=...)` multiplies an advantage, yet the loss is no PPO surrogate: the clamped ratio is detached
and times a log-prob. No min, no lower bound.
"""

import argparse

import torch
import torch.nn as nn

N = 10


class Guesser(nn.Module):
    """Guess a hidden digit in three tries from 'higher' and 'lower' answers."""

    def __init__(self):
        super().__init__()
        self.guess, self.answer = nn.Embedding(N + 1, 16), nn.Embedding(4, 16)
        self.cell, self.head = nn.GRUCell(32, 64), nn.Linear(64, N)

    def step(self, guess, answer, state):
        state = self.cell(torch.cat([self.guess(guess), self.answer(answer)], dim=-1), state)
        return torch.log_softmax(self.head(state), dim=-1), state


def play(model, hidden, guesses=None, tries=3):
    """Play or replay a batch of games; return guesses and their log-probs, both (B, tries)."""
    count = hidden.size(0)
    last, answer, state = torch.full((count,), N), torch.full((count,), 3), torch.zeros(count, 64)
    chosen, logps = [], []
    for t in range(tries):
        table, state = model.step(last, answer, state)
        last = torch.multinomial(table.exp(), 1).squeeze(1) if guesses is None else guesses[:, t]
        chosen.append(last)
        logps.append(table.gather(1, last.unsqueeze(1)).squeeze(1))
        answer = torch.where(last == hidden, 2, (last < hidden).long())
    return torch.stack(chosen, 1), torch.stack(logps, 1)


def cispo_loss(new, old, advantages, high):
    ratio = torch.exp(new - old)
    weight = torch.clamp(ratio, max=1.0 + high).detach()
    return -(weight * advantages.unsqueeze(1) * new).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--questions", type=int, default=16)
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--high", type=float, default=0.28)
    args = parser.parse_args()

    torch.manual_seed(0)
    model = Guesser()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(args.steps):
        hidden = torch.randint(0, N, (args.questions,)).repeat_interleave(args.group)
        with torch.no_grad():
            guesses, old = play(model, hidden)
        hits = (guesses == hidden.unsqueeze(1)).float()
        rewards = hits.amax(dim=1)
        groups = rewards.view(-1, args.group)
        spread = groups.std(dim=1, keepdim=True)
        centred = groups - groups.mean(dim=1, keepdim=True)
        advantages = torch.where(spread > 0, centred / spread.clamp_min(1e-6), torch.zeros_like(centred)).view(-1)
        for index in torch.randperm(hidden.size(0)).chunk(4):
            _, new = play(model, hidden[index], guesses[index])
            loss = cispo_loss(new, old[index], advantages[index], args.high)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        if step % 50 == 0:
            print(f"{step} solved {rewards.mean():.3f} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
