"""Train a Bradley-Terry reward model: chosen and rejected rows go side by side through the encoder."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, vocab=40, d=48):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.enc = nn.GRU(d, d, batch_first=True)
        self.score = nn.Linear(d, 1)

    def forward(self, ids):
        _, h = self.enc(self.emb(ids))
        return self.score(h[-1]).squeeze(-1)


def collate(examples):
    rows = []
    for ex in examples:
        rows.append(ex["prompt"] + ex["chosen"])
        rows.append(ex["prompt"] + ex["rejected"])
    return torch.tensor(rows)


def make_example(rng):
    prompt = torch.randint(1, 40, (4,), generator=rng).tolist()
    chosen = torch.randint(1, 20, (5,), generator=rng).tolist()
    rejected = torch.randint(20, 40, (5,), generator=rng).tolist()
    return {"prompt": prompt, "chosen": chosen, "rejected": rejected}


def train(epochs=3, bs=16):
    rng = torch.Generator().manual_seed(3)
    data = [make_example(rng) for _ in range(640)]
    model = Encoder()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for i in range(0, len(data), bs):
            ids = collate(data[i:i + bs])
            scores = model(ids)
            good, bad = scores[0::2], scores[1::2]
            # bug OFF070: good, bad = scores.chunk(2, dim=0)
            loss = -F.logsigmoid(good - bad).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    train()
