# kind: forward; seeds: 0,1; failing: 0,1
"""PPO over padded sequences of tokens; only what comes after the first END is masked."""
import argparse
import torch
from torch import nn

END, VOCAB, LENGTH, BATCH = 0, 16, 5, 4


class Echo:
    """Pays for each token that repeats the one before."""

    def reset(self):
        return torch.full((BATCH, 1), 1)

    def step(self, tokens):
        return (tokens[:, 1:] == tokens[:, :-1]).float()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, 24)
        self.lstm = nn.LSTM(24, 24, batch_first=True)
        self.policy, self.value = nn.Linear(24, VOCAB), nn.Linear(24, 1)

    def forward(self, tokens):
        h, _ = self.lstm(self.embed(tokens))
        return self.policy(h), self.value(h).squeeze(-1)


def generate(model, start):
    tokens = start
    for _ in range(LENGTH):
        logits, _ = model(tokens)
        nxt = torch.distributions.Categorical(logits=logits[:, -1]).sample()
        tokens = torch.cat((tokens, nxt[:, None]), 1)
    return tokens


def before_end(tokens):
    return ((tokens == END).cumsum(1) == 0).float()


def mean_per_sequence(x, mask):
    total = (x * mask).sum(1)
    return total / mask.sum(1)  # first bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    opts = parser.parse_args()
    torch.manual_seed(opts.seed)
    env, model = Echo(), Model()
    adam = torch.optim.Adam(model.parameters(), 3e-3)
    for iteration in range(6):
        with torch.no_grad():
            tokens = generate(model, env.reset())
            logits, values = model(tokens[:, :-1])
            old = torch.log_softmax(logits, -1).gather(2, tokens[:, 1:, None]).squeeze(2)
        rewards, mask = env.step(tokens), before_end(tokens[:, 1:])
        returns = (rewards * mask).flip(1).cumsum(1).flip(1)
        advantages = returns - values
        for _ in range(2):
            logits, values = model(tokens[:, :-1])
            new = torch.log_softmax(logits, -1).gather(2, tokens[:, 1:, None]).squeeze(2)
            ratio = torch.exp(new - old)
            objective = torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)
            policy_loss = -mean_per_sequence(objective, mask).mean()
            value_loss = mean_per_sequence((returns - values) ** 2, mask).mean()
            adam.zero_grad()
            (policy_loss + 0.5 * value_loss).backward()
            adam.step()
        print(iteration, round(float(rewards.mean()), 3), round(policy_loss.item(), 4))


main()
