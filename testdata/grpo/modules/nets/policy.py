import torch.nn as nn


class Policy(nn.Module):
    """Policy maps tokens (B, T) to logits (B, T, vocab)."""

    def __init__(self, vocab, width):
        super().__init__()
        self.body = nn.Sequential(nn.Embedding(vocab, width), nn.GRU(width, width, batch_first=True))
        self.head = nn.Linear(width, vocab)

    def forward(self, tokens):
        features, _ = self.body(tokens)
        return self.head(features)
