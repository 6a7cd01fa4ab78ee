"""GRPO for a tiny char model that learns to reverse 3 digits."""
import argparse
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB = "0123456789>.P"
stoi = {c: i for i, c in enumerate(VOCAB)}
itos = {i: c for c, i in stoi.items()}


class TinyLM(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.emb = nn.Embedding(len(VOCAB), d)
        self.rnn = nn.GRU(d, d, batch_first=True)
        self.out = nn.Linear(d, len(VOCAB))

    def forward(self, x):
        h, _ = self.rnn(self.emb(x))
        return self.out(h)


def encode(texts):
    return torch.tensor([[stoi[c] for c in t] for t in texts])


@torch.no_grad()
def sample(model, ids, n):
    for _ in range(n):
        logits = model(ids)[:, -1]
        nxt = torch.multinomial(F.softmax(logits, dim=-1), 1)
        ids = torch.cat([ids, nxt], dim=1)
    return ids


def token_logps(model, ids):
    logits = model(ids[:, :-1])
    return F.log_softmax(logits, -1).gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)


def score(question, completion):
    want = question[:3][::-1]
    got = "".join(itos[int(t)] for t in completion)
    return sum(a == b for a, b in zip(want, got)) / 3.0


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--batch", type=int, default=16)
    ap.add_argument("--samples", type=int, default=8)
    ap.add_argument("--steps", type=int, default=300)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args()

    model = TinyLM()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for step in range(args.steps):
        questions = ["%03d>" % random.randrange(1000) for _ in range(args.batch)]
        expanded = [q for q in questions for _ in range(args.samples)]
        # bug ADV023: expanded = questions * args.samples
        ids = encode(expanded)
        full = sample(model, ids, 3)
        rewards = torch.tensor([score(q, c) for q, c in zip(expanded, full[:, 4:])])

        grouped = rewards.view(args.batch, args.samples)  # found: ADV023
        mean = grouped.mean(dim=1, keepdim=True)
        std = grouped.std(dim=1, keepdim=True)
        adv = ((grouped - mean) / (std + 1e-4)).view(-1)

        with torch.no_grad():
            old = token_logps(model, full)[:, 3:]
        for _ in range(2):
            logp = token_logps(model, full)[:, 3:]
            ratio = torch.exp(logp - old)
            a = adv.unsqueeze(1)
            loss = -torch.min(ratio * a, ratio.clamp(0.8, 1.2) * a).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        if step % 20 == 0:
            print(step, rewards.mean().item())


if __name__ == "__main__":
    main()
