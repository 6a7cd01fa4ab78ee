"""GRPO in plain functions; everything is passed on as arguments."""

import argparse
import copy

import torch
from torch import nn, optim
from torch.nn import functional as F

BOS, EOS, PAD = 7, 0, 6


def make_model(vocab=8, width=24):
    return nn.Sequential(nn.Embedding(vocab, width), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, vocab))


def get_logps(model, ids):
    logits = model(ids[:, :-1])
    logps = logits.log_softmax(-1)
    # bug DIST025: logps = logits.log_softmax(0)
    return torch.gather(logps, -1, ids[:, 1:, None])[..., 0]


def rollout(model, n_prompts, group_size, length, temperature):
    ids = torch.full((n_prompts * group_size, 1), BOS)
    done = torch.zeros(len(ids), dtype=torch.bool)
    with torch.no_grad():
        for _ in range(length):
            logits = model(ids)[:, -1, :] / temperature
            token = torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)
            # bug DIST023: token = torch.multinomial(logits, num_samples=1)
            token[done] = PAD
            ids = torch.cat((ids, token), dim=-1)
            done |= token[:, 0] == EOS
    return ids, (ids[:, 1:] != PAD).float()


def score(ids, mask):
    hits = ((ids[:, 1:] == 3).float() * mask).sum(-1)
    return hits / mask.sum(-1)


def group_advantages(rewards, group_size, eps=1e-8):
    r = rewards.reshape(-1, group_size)
    r = r - r.mean(-1, keepdim=True)  # found: ADV020
    r = r / (r.std(-1, keepdim=True) + eps)  # found: ADV019
    # bug ADV009: r = r / r.std(-1, keepdim=True)
    return r.flatten()


def masked_mean(x, mask):
    return (x * mask).sum() / mask.sum()


def policy_loss(logps, old_logps, adv, mask, eps):
    log_ratio = logps - old_logps  # found: OBJ001, OBJ007
    # bug OBJ020: log_ratio = old_logps - logps
    ratio = log_ratio.exp()  # found: OBJ020
    # bug OBJ001: ratio = log_ratio
    losses = -adv[:, None] * ratio
    clipped = -adv[:, None] * ratio.clamp(1.0 - eps, 1.0 + eps)
    # bug OBJ022: clipped = -adv[:, None] * ratio.clamp(-eps, eps)
    worst = torch.maximum(losses, clipped)
    # bug OBJ002: worst = torch.minimum(losses, clipped)
    return masked_mean(worst, mask)


def kl_penalty(logps, ref_logps, mask):
    diff = ref_logps - logps
    return masked_mean(diff.exp() - diff - 1, mask)
    # bug KL002: return masked_mean(-diff, mask)


def train(args):
    model = make_model()
    ref = copy.deepcopy(model)
    for p in ref.parameters():
        p.requires_grad = False
    opt = optim.Adam(model.parameters(), lr=args.lr)
    for step in range(args.steps):
        ids, mask = rollout(model, args.prompts, args.group_size, args.length, args.temperature)
        rewards = score(ids, mask)
        adv = group_advantages(rewards, args.group_size)
        old_logps = get_logps(model, ids).detach()
        # bug OBJ007: old_logps = get_logps(model, ids)
        ref_logps = get_logps(ref, ids)  # found: KL016
        for _ in range(args.epochs):
            for idx in torch.randperm(len(ids)).split(args.minibatch):
                logps = get_logps(model, ids[idx])
                loss = policy_loss(logps, old_logps[idx], adv[idx], mask[idx], args.clip)
                kl = kl_penalty(logps, ref_logps[idx], mask[idx])
                loss = loss + args.beta * kl  # found: KL002
                # bug KL001: loss = loss - args.beta * kl
                # bug KL016, KL017: pass
                # bug KL017: loss = loss + kl
                # bug KL004: loss = loss + args.beta * kl.item()
                opt.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.max_norm)
                # bug LOOP004: opt.step()
                opt.step()
                # and: torch.nn.utils.clip_grad_norm_(model.parameters(), args.max_norm)
        if step % 20 == 0:
            print(step, "reward", rewards.mean().item(), "kl", kl.item())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--prompts", type=int, default=4)
    parser.add_argument("--group_size", type=int, default=8)
    # bug ADV019, ADV020: parser.add_argument("--group_size", type=int, default=1)
    parser.add_argument("--minibatch", type=int, default=16)
    parser.add_argument("--length", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--beta", type=float, default=0.05)  # found: KL017
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--max_norm", type=float, default=1.0)
    train(parser.parse_args())
