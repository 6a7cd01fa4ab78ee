"""Dr.GRPO style group sampling, python lists all the way."""
import random
import numpy as np
import torch
import torch.nn as nn

GROUP = 6
PROMPTS_PER_STEP = 8
LENGTH = 5
VOCAB = 12


class Bigram(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(VOCAB, 32)
        self.mlp = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, VOCAB))

    def forward(self, prompt, last):
        return self.mlp(torch.cat([self.table(prompt), self.table(last)], -1))


def generate(model, prompt):
    last = torch.tensor(0)
    toks, lps = [], []
    for _ in range(LENGTH):
        d = torch.distributions.Categorical(logits=model(torch.tensor(prompt), last))
        last = d.sample()
        toks.append(last.item())
        lps.append(d.log_prob(last))
    return toks, torch.stack(lps).sum()


def reward_fn(prompt, toks):
    return float(sum(t == prompt for t in toks)) / LENGTH


def collect(model):
    prompts = [random.randrange(1, VOCAB) for _ in range(PROMPTS_PER_STEP)]
    rewards, logps = [], []
    for p in prompts:
    # bug ADV023: for _ in range(GROUP):
        for _ in range(GROUP):
        # and: for p in prompts:
            toks, lp = generate(model, p)
            rewards.append(reward_fn(p, toks))
            logps.append(lp)
    return rewards, torch.stack(logps)


def group_advantages(rewards):
    out = []
    for i in range(PROMPTS_PER_STEP):
        group = np.array(rewards[i * GROUP:(i + 1) * GROUP])  # found: ADV023
        out.extend(group - group.mean())
    return torch.tensor(out, dtype=torch.float32)


def main():
    model = Bigram()
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for it in range(400):
        rewards, logps = collect(model)
        adv = group_advantages(rewards)
        loss = -(adv * logps).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 20 == 0:
            print(it, np.mean(rewards))


if __name__ == "__main__":
    main()
