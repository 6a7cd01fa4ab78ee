"""Decoding: temperature, top-k, nucleus, repetition penalty, then sampling.

Trap: the logits are filtered with -inf in several helpers, changed in place, scattered back, and only then softmaxed; the
nucleus variant sorts probabilities, zeroes a tail and samples from what is left without dividing by its sum. Scores are
also gathered back through sorted indices after multinomial.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def repetition_penalty(logits, ids, penalty):
    score = torch.gather(logits, 1, ids)
    score = torch.where(score < 0, score * penalty, score / penalty)
    return logits.scatter(1, ids, score)


def top_k_filter(logits, k):
    k = min(k, logits.size(-1))
    threshold = torch.topk(logits, k).values[..., -1, None]
    return logits.masked_fill(logits < threshold, float("-inf"))


def top_p_filter(logits, p):
    ordered, places = torch.sort(logits, descending=True)
    cumulative = torch.cumsum(F.softmax(ordered, dim=-1), dim=-1)
    remove = cumulative - F.softmax(ordered, dim=-1) > p
    ordered[remove] = float("-inf")
    return torch.full_like(logits, float("-inf")).scatter(-1, places, ordered)


def sample_token(logits, temperature, k, p):
    if temperature == 0:
        return logits.argmax(dim=-1, keepdim=True)
    logits = logits / temperature
    if k > 0:
        logits = top_k_filter(logits, k)
    if p < 1.0:
        logits = top_p_filter(logits, p)
    return torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)


def sample_nucleus_by_probs(logits, p):
    probs = torch.softmax(logits, dim=-1)
    sorted_probs, places = torch.sort(probs, dim=-1, descending=True)
    total = torch.cumsum(sorted_probs, dim=-1)
    sorted_probs[total - sorted_probs > p] = 0.0
    token = torch.multinomial(sorted_probs, num_samples=1)
    return torch.gather(places, -1, token)


def sample_top_k_by_values(logits, k):
    values, places = torch.topk(logits, k)
    choice = torch.multinomial(values.softmax(dim=-1), 1)
    return places.gather(-1, choice)


class NgramModel(nn.Module):
    def __init__(self, vocab=30, width=24, context=3):
        super().__init__()
        self.context = context
        self.embed = nn.Embedding(vocab, width)
        self.mix = nn.Sequential(nn.Linear(width * context, 64), nn.ReLU(), nn.Linear(64, vocab))

    def forward(self, ids):
        return self.mix(self.embed(ids[:, -self.context:]).flatten(1))


@torch.no_grad()
def generate(model, prompt, count, args):
    ids = prompt
    for _ in range(count):
        logits = repetition_penalty(model(ids), ids, args.penalty)
        if args.mode == "filter":
            token = sample_token(logits, args.temperature, args.top_k, args.top_p)
        elif args.mode == "nucleus":
            token = sample_nucleus_by_probs(logits, args.top_p)
        else:
            token = sample_top_k_by_values(logits, args.top_k)
        ids = torch.cat([ids, token], dim=1)
    return ids


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--mode", choices=("filter", "nucleus", "values"), default="filter")
    parser.add_argument("--temperature", type=float, default=0.9)
    parser.add_argument("--top-k", type=int, default=10)
    parser.add_argument("--top-p", type=float, default=0.95)
    parser.add_argument("--penalty", type=float, default=1.2)
    args = parser.parse_args()
    torch.manual_seed(0)
    model = NgramModel().eval()
    prompt = torch.randint(0, 30, (4, 3))
    for row in generate(model, prompt, args.count, args).tolist():
        print(row)


if __name__ == "__main__":
    main()
