# kind: forward; seeds: 0,1,2; failing: 1
"""GRPO on a toy task: complete a prompt with tokens whose sum is even."""
import argparse

import torch
import torch.nn.functional as F

VOCAB, PROMPT, ANSWER, GROUP = 8, 3, 4, 4


class Sums:
    """Prompts of random tokens; an answer is right if all its tokens add up to an even number."""

    def reset(self):
        return torch.randint(VOCAB, (PROMPT,))

    def step(self, prompt, answer):
        return ((prompt.sum() + answer.sum(-1)) % 2 == 0).float()


class TinyLM(torch.nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = torch.nn.Embedding(VOCAB, width)
        self.rnn = torch.nn.GRU(width, width, batch_first=True)
        self.head = torch.nn.Linear(width, VOCAB)

    def forward(self, tokens):
        return self.head(self.rnn(self.embed(tokens))[0])


@torch.no_grad()
def complete(model, prompt):
    tokens = prompt.expand(GROUP, -1)
    for _ in range(ANSWER):
        probs = F.softmax(model(tokens)[:, -1], -1)
        tokens = torch.cat([tokens, torch.multinomial(probs, 1)], 1)
    return tokens


def token_logps(model, tokens):
    logits = model(tokens[:, :-1])
    logps = F.log_softmax(logits, -1)
    return logps.gather(-1, tokens[:, 1:, None]).squeeze(-1)[:, PROMPT - 1 :]


def group_advantages(rewards):
    centred = rewards - rewards.mean()
    return centred / rewards.std()  # first bad


def train(seed, steps):
    torch.manual_seed(seed)
    env, model = Sums(), TinyLM()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(steps):
        prompt = env.reset()
        tokens = complete(model, prompt)
        rewards = env.step(prompt, tokens[:, PROMPT:])
        advantages = group_advantages(rewards)
        with torch.no_grad():
            old = token_logps(model, tokens)
        for _ in range(2):
            ratio = (token_logps(model, tokens) - old).exp()
            clipped = ratio.clamp(0.8, 1.2)
            loss = -torch.min(ratio * advantages[:, None], clipped * advantages[:, None]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--seed", default=0, type=int)
    p.add_argument("--steps", default=6, type=int)
    a = p.parse_args()
    train(a.seed, a.steps)
