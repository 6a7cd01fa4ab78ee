"""The networks: a language model with a value head, and the proxy reward model."""

import torch
from torch import nn
import torch.nn.functional as F

from language import EOS, MAX_LENGTH, PAD


class LanguageModel(nn.Module):
    """A GRU over words, told the prompt at each of them. It says words and EOS, and never PAD."""

    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(PAD + 1, width, padding_idx=PAD)
        self.prompt = nn.Linear(width, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.lm_head = nn.Linear(width, EOS + 1)
        self.value_head = nn.Linear(width, 1)

    def read(self, prompts, tokens, state=None):
        """Hidden states [batch, length, width] behind each of tokens [batch, length], and the last one."""
        asked = self.prompt(self.embed(prompts).mean(dim=1, keepdim=True))
        return self.gru(self.embed(tokens) + asked, state)

    def forward(self, prompts, completions):
        """Logits [batch, length, EOS + 1] and values [batch, length] at each token of completions
        [batch, length], from what stands before it. The value head has no say in what the GRU learns."""
        before = torch.cat([prompts[:, -1:], completions[:, :-1]], dim=1)
        hidden, _ = self.read(prompts, before)
        return self.lm_head(hidden), self.value_head(hidden.detach()).squeeze(-1)

    @torch.no_grad()
    def generate(self, prompts, generator):
        """Completions [batch, at most MAX_LENGTH] sampled at temperature 1, with PAD behind EOS."""
        token, state = prompts[:, -1:], None
        ended = torch.zeros_like(token, dtype=torch.bool)
        said = []
        while len(said) < MAX_LENGTH and not ended.all():
            hidden, state = self.read(prompts, token, state)
            probs = F.softmax(self.lm_head(hidden[:, -1]), dim=-1)
            token = torch.multinomial(probs, 1, generator=generator).masked_fill(ended, PAD)
            ended = ended | (token == EOS)
            said.append(token)
        return torch.cat(said, dim=1)


class RewardModel(nn.Module):
    """The proxy: each word of a completion has a worth, and another if the prompt has the word too.

    The sum over words is its flaw. In what people wrote, naming what was asked is better, and so is
    writing more; but a sum grows with every word, and naming the fox five times counts five times.
    """

    def __init__(self):
        super().__init__()
        self.worth = nn.Embedding(PAD + 1, 1)
        self.echo = nn.Embedding(PAD + 1, 1)
        nn.init.zeros_(self.worth.weight)
        nn.init.zeros_(self.echo.weight)
        self.register_buffer("shift", torch.zeros(()))
        self.register_buffer("scale", torch.ones(()))

    def forward(self, prompts, completions):
        """Scores [batch] of completions [batch, length]; `standardise` says in which units."""
        asked = (completions.unsqueeze(2) == prompts.unsqueeze(1)).any(dim=2)
        worth = self.worth(completions).squeeze(-1) + self.echo(completions).squeeze(-1) * asked
        total = (worth * (completions < EOS)).sum(dim=1)
        return (total - self.shift) / self.scale

    @torch.no_grad()
    def standardise(self, prompts, completions):
        """Makes the mean score of these completions 0 and their standard deviation 1."""
        scores = self(prompts, completions)
        self.shift += scores.mean()
        self.scale *= scores.std()


def completion_mask(completions):
    """1.0 for the tokens of completions [batch, length] up to EOS, 0.0 for the PAD behind it."""
    return (completions != PAD).float()


def masked_mean(values, mask):
    """The mean of values over the places where mask is 1; both of one shape."""
    return (values * mask).sum() / mask.sum()
