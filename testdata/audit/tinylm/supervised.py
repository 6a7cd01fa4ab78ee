"""Before PPO: the base model learns to write as people do, the reward model what they prefer."""

import torch
from torch.nn.utils.rnn import pad_sequence
import torch.nn.functional as F

from language import EOS, PAD, corpus, encode, gold, write
from models import LanguageModel, RewardModel


def prompt_tensor(prompts):
    """Tokens [count, PROMPT_LENGTH] of prompts."""
    return torch.tensor([encode(prompt) for prompt in prompts])


def completion_tensor(texts):
    """Tokens [count, length of the longest] of texts, each with its EOS, then PAD."""
    return pad_sequence([torch.tensor(encode(words) + [EOS]) for words in texts], batch_first=True, padding_value=PAD)


def fit_base(prompts, rng, generator, steps=400, batch=64):
    """A language model fitted to what the writers of the corpus made of prompts."""
    pairs = corpus(prompts, 6000, rng)
    asked, written = prompt_tensor([prompt for prompt, _ in pairs]), completion_tensor([words for _, words in pairs])
    model = LanguageModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    for _ in range(steps):
        rows = torch.randint(len(pairs), (batch,), generator=generator)
        logits, _ = model(asked[rows], written[rows])
        loss = F.cross_entropy(logits.transpose(1, 2), written[rows], ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model


def preferred(prompt, first, second, rng):
    """Whether a person takes the first of two completions: mostly the better one, not always."""
    return gold(prompt, first) + rng.gauss(0, 0.1) > gold(prompt, second) + rng.gauss(0, 0.1)


def comparisons(prompts, count, rng):
    """count prompts, and for each the completion that a person prefers and the other."""
    asked, chosen, rejected = [], [], []
    for _ in range(count):
        prompt = rng.choice(prompts)
        first, second = write(prompt, rng), write(prompt, rng)
        if not preferred(prompt, first, second, rng):
            first, second = second, first
        asked.append(prompt)
        chosen.append(first)
        rejected.append(second)
    return prompt_tensor(asked), completion_tensor(chosen), completion_tensor(rejected)


def fit_reward(prompts, rng, steps=200):
    """A reward model fitted to 2000 comparisons (Bradley-Terry), all of them at each step."""
    asked, chosen, rejected = comparisons(prompts, 2000, rng)
    model = RewardModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05, weight_decay=1e-3)
    for _ in range(steps):
        loss = -F.logsigmoid(model(asked, chosen) - model(asked, rejected)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.standardise(asked, chosen)
    return model.requires_grad_(False)
