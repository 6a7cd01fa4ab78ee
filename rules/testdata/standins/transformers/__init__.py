"""A small stand-in for transformers: a causal language model of random weights, which
generates as the real one does by default, from the 50 likeliest of its 100 tokens, and a
classifier of sequences."""

import types

import torch.nn as nn

from .generation.utils import GenerationMixin


class AutoModelForCausalLM(nn.Module, GenerationMixin):
    def __init__(self):
        super().__init__()
        self.embed, self.rnn, self.head = nn.Embedding(100, 16), nn.GRU(16, 16, batch_first=True), nn.Linear(16, 100)

    @classmethod
    def from_pretrained(cls, name, **options):
        return cls()

    def forward(self, input_ids):
        return types.SimpleNamespace(logits=self.head(self.rnn(self.embed(input_ids))[0]))


class AutoModelForSequenceClassification(nn.Module):
    def __init__(self, num_labels):
        super().__init__()
        self.embed, self.score = nn.Embedding(100, 16), nn.Linear(16, num_labels)

    @classmethod
    def from_pretrained(cls, name, num_labels=2):
        return cls(num_labels)

    def forward(self, input_ids):
        return types.SimpleNamespace(logits=self.score(self.embed(input_ids).mean(1)))


class DataCollatorForLanguageModeling:
    def __init__(self, tokenizer, mlm=True):
        self.tokenizer, self.mlm = tokenizer, mlm

    def __call__(self, rows):
        return {"input_ids": rows, "labels": rows}
