"""Training of a reward model on pairs, with centred and scaled scores for later use.

Trap: a difference of rewards inside logsigmoid looks like a group-relative advantage; the scores of the validation set are
divided by their std, which the code checks to be positive first and stores as plain floats.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

VOCAB, LENGTH, PAD = 20, 12, 0


class Pairs(Dataset):
    """Answers of different length; the better one holds more even tokens."""

    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        ids = torch.randint(1, VOCAB, (count, 2, LENGTH), generator=generator)
        lengths = torch.randint(4, LENGTH + 1, (count, 2, 1), generator=generator)
        self.ids = torch.where(torch.arange(LENGTH) < lengths, ids, torch.tensor(PAD))
        quality = ((self.ids % 2 == 0) & (self.ids != PAD)).sum(-1)
        swap = quality[:, 0] < quality[:, 1]
        self.ids[swap] = self.ids[swap].flip(1)
        self.tie = quality[:, 0] == quality[:, 1]

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return {"chosen": self.ids[index, 0], "rejected": self.ids[index, 1], "weight": 1.0 - self.tie[index].float()}


class RewardModel(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, width, padding_idx=PAD)
        self.encoder = nn.GRU(width, width, batch_first=True)
        self.score = nn.Linear(width, 1)
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("scale", torch.ones(()))

    def forward(self, ids):
        features, _ = self.encoder(self.embed(ids))
        last = (ids != PAD).sum(dim=1).clamp(min=1) - 1
        pooled = features[torch.arange(ids.size(0)), last]
        return self.score(pooled).squeeze(-1)

    def normalised(self, ids):
        return (self(ids) - self.mean) * self.scale


def calibrate(model, loader):
    with torch.no_grad():
        scores = torch.cat([model(batch[key]) for batch in loader for key in ("chosen", "rejected")])
    std = scores.std().item()
    model.mean.copy_(scores.mean())
    if std > 1e-6:
        model.scale.fill_(1.0 / std)
    return scores.mean().item(), std


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=2000)
    args = parser.parse_args()

    torch.manual_seed(0)
    train = DataLoader(Pairs(args.pairs, 1), batch_size=64, shuffle=True)
    valid = DataLoader(Pairs(args.pairs // 4, 2), batch_size=64)
    model = RewardModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    for epoch in range(args.epochs):
        for batch in train:
            margin = model(batch["chosen"]) - model(batch["rejected"])
            losses = -F.logsigmoid(margin) * batch["weight"]
            loss = losses.sum() / batch["weight"].sum().clamp(min=1.0)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            right = torch.cat([model(b["chosen"]) > model(b["rejected"]) for b in valid]).float().mean()
        print(f"epoch {epoch} loss {loss.item():.4f} accuracy {right:.3f}")
    print("mean %.3f std %.3f" % calibrate(model, valid))
    example = next(iter(valid))
    print("normalised", model.normalised(example["chosen"]).mean().item())


if __name__ == "__main__":
    main()
