"""A decision transformer on logged trajectories.

Trap: supervised learning on returns-to-go, with a softmax only inside attention and cross-entropy on raw logits.
States are standardised with a floor inside `maximum`. Sampling at evaluation is argmax.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

LENGTH, STATES, ACTIONS = 8, 2, 3


def trajectories(count):
    """A walk on a line: action 0 left, 1 stay, 2 right; each step pays minus the distance to one."""
    x = torch.randn(count)
    states, actions, rewards = [], [], []
    for _ in range(LENGTH):
        good = torch.where(x < 0.75, 2, torch.where(x > 1.25, 0, 1))
        a = torch.where(torch.rand(count) < 0.5, good, torch.randint(0, ACTIONS, (count,)))
        states.append(torch.stack([x, torch.ones_like(x)], dim=1))
        actions.append(a)
        x = x + 0.5 * (a - 1).float()
        rewards.append(-(x - 1).abs())
    rewards = torch.stack(rewards, dim=1)
    to_go = rewards.flip(1).cumsum(1).flip(1)
    return torch.stack(states, 1), torch.stack(actions, 1), to_go.unsqueeze(-1)


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (part.view(b, t, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / k.size(-1) ** 0.5
        future = torch.ones(t, t, dtype=torch.bool).triu(1)
        weights = F.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, t, c))


class DecisionTransformer(nn.Module):
    def __init__(self, width=48, heads=4, blocks=2):
        super().__init__()
        self.embed_return, self.embed_state = nn.Linear(1, width), nn.Linear(STATES, width)
        self.embed_action, self.embed_time = nn.Embedding(ACTIONS, width), nn.Embedding(LENGTH, width)
        self.attention = nn.ModuleList(SelfAttention(width, heads) for _ in range(blocks))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(blocks))
        self.head = nn.Linear(width, ACTIONS)

    def forward(self, to_go, states, actions):
        b, t = actions.shape
        time = self.embed_time(torch.arange(t))
        tokens = torch.stack([self.embed_return(to_go) + time, self.embed_state(states) + time,
                              self.embed_action(actions) + time], dim=2).reshape(b, 3 * t, -1)
        for attend, norm in zip(self.attention, self.norms):
            tokens = tokens + attend(norm(tokens))
        return self.head(tokens.view(b, t, 3, -1)[:, :, 1])


def evaluate(model, normalise, wanted=-2.0, episodes=32):
    x = torch.randn(episodes)
    states, actions, to_go, total = [], [], [torch.full((episodes, 1), wanted)], torch.zeros(episodes)
    with torch.no_grad():
        for _ in range(LENGTH):
            states.append(normalise(torch.stack([x, torch.ones_like(x)], dim=1)))
            actions.append(torch.zeros(episodes, dtype=torch.long))
            logits = model(torch.stack(to_go, 1), torch.stack(states, 1), torch.stack(actions, 1))[:, -1]
            actions[-1] = logits.argmax(dim=-1)
            x = x + 0.5 * (actions[-1] - 1).float()
            reward = -(x - 1).abs()
            total += reward
            to_go.append(to_go[-1] - reward.unsqueeze(1))
    return total.mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1500)
    args = parser.parse_args()
    torch.manual_seed(0)
    states, actions, to_go = trajectories(2000)
    mean = states.mean(dim=(0, 1))
    std = torch.maximum(states.std(dim=(0, 1)), torch.full((STATES,), 1e-3))

    def normalise(s):
        return (s - mean) / std

    model = DecisionTransformer()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-4)
    for step in range(args.steps):
        index = torch.randint(0, len(actions), (64,))
        logits = model(to_go[index], normalise(states[index]), actions[index])
        loss = F.cross_entropy(logits.flatten(0, 1), actions[index].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        if step % 100 == 0:
            print(f"{step} loss {loss.item():.4f} return {evaluate(model, normalise):.3f}")


if __name__ == "__main__":
    main()
