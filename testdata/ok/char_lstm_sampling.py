"""A character LSTM: supervised training, then sampling with a temperature.

Trap: `torch.multinomial(F.softmax(logits / T, -1), 1)`, once with `.div(T).exp()` of the logits, as older scripts do: the
exponential of a score is positive, and multinomial normalises. No reinforcement learning here at all.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = ("the quick brown fox jumps over the lazy dog. pack my box with five dozen liquor jugs. "
        "how vexingly quick daft zebras jump. sphinx of black quartz, judge my vow. ") * 8


class CharLSTM(nn.Module):
    def __init__(self, vocab, width=64):
        super().__init__()
        self.encoder = nn.Embedding(vocab, width)
        self.lstm = nn.LSTM(width, width, num_layers=1)
        self.decoder = nn.Linear(width, vocab)

    def forward(self, ids, hidden=None):
        out, hidden = self.lstm(self.encoder(ids), hidden)
        return self.decoder(out), hidden


def batches(data, length, size):
    starts = torch.randint(0, len(data) - length - 1, (size,))
    rows = torch.stack([data[start:start + length + 1] for start in starts.tolist()], dim=1)
    return rows[:-1], rows[1:]


@torch.no_grad()
def sample(model, start, length, temperature):
    ids, hidden = [start], None
    for _ in range(length):
        logits, hidden = model(torch.tensor([[ids[-1]]]), hidden)
        probs = F.softmax(logits[-1, 0] / temperature, dim=-1)
        ids.append(torch.multinomial(probs, num_samples=1).item())
    return ids


@torch.no_grad()
def sample_unnormalised(model, start, length, temperature):
    ids, hidden = [start], None
    for _ in range(length):
        output, hidden = model(torch.tensor([[ids[-1]]]), hidden)
        word_weights = output.squeeze().div(temperature).exp()
        ids.append(torch.multinomial(word_weights, 1)[0].item())
    return ids


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--temperature", type=float, default=0.8)
    args = parser.parse_args()
    if args.temperature < 1e-3:
        parser.error("--temperature has to be greater or equal 1e-3")

    torch.manual_seed(0)
    letters = sorted(set(TEXT))
    index = {letter: i for i, letter in enumerate(letters)}
    data = torch.tensor([index[letter] for letter in TEXT])
    model = CharLSTM(len(letters))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(args.steps):
        x, y = batches(data, length=32, size=16)
        logits, _ = model(x)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0:
            print(f"{step} loss {loss.item():.3f}")
    for draw in (sample, sample_unnormalised):
        print("".join(letters[i] for i in draw(model, index["t"], 60, args.temperature)))


if __name__ == "__main__":
    main()
