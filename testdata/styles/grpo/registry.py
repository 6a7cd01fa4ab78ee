"""GRPO whose losses, advantages and KL estimators are chosen by name from registries."""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

LOSSES, ADVANTAGES, KL_ESTIMATORS = {}, {}, {}


def register(table, name):
    def wrap(fn):
        table[name] = fn
        return fn

    return wrap


@register(ADVANTAGES, "grpo")
def grpo_advantages(rewards, group):
    r = rewards.view(-1, group)
    return ((r - r.mean(dim=-1, keepdim=True)) / (r.std(dim=-1, keepdim=True) + 1e-6)).view(-1)  # found: ADV019, ADV020
    # bug ADV009: return ((r - r.mean(dim=-1, keepdim=True)) / r.std(dim=-1, keepdim=True)).view(-1)


@register(ADVANTAGES, "rloo")
def rloo_advantages(rewards, group):
    r = rewards.view(-1, group)
    baseline = (r.sum(dim=-1, keepdim=True) - r) / (group - 1)  # found: ADV041
    return (r - baseline).view(-1)


@register(KL_ESTIMATORS, "k2")
def k2(logp, ref_logp):
    return 0.5 * (logp - ref_logp).square()


@register(KL_ESTIMATORS, "k3")
def k3(logp, ref_logp):
    log_ratio = ref_logp - logp
    return log_ratio.exp() - 1 - log_ratio
    # bug KL002: return -log_ratio


@register(LOSSES, "reinforce")
def reinforce(logp, old_logp, adv, mask, clip):
    return -(logp * adv * mask).sum() / mask.sum()


@register(LOSSES, "grpo")
def grpo(logp, old_logp, adv, mask, clip):
    ratio = torch.exp(logp - old_logp)  # found: OBJ007
    # bug OBJ001: ratio = logp - old_logp
    # bug OBJ020: ratio = torch.exp(old_logp - logp)
    unclipped = ratio * adv
    clipped = torch.clip(ratio, 1 - clip, 1 + clip) * adv
    # bug OBJ022: clipped = torch.clip(ratio, -clip, clip) * adv
    return -(torch.minimum(unclipped, clipped) * mask).sum() / mask.sum()
    # bug OBJ002: return -(torch.maximum(unclipped, clipped) * mask).sum() / mask.sum()


class LM(nn.Module):
    def __init__(self, vocab=8, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, vocab)

    def forward(self, x):
        return self.fc(self.gru(self.emb(x))[0])


def token_logp(model, x):
    return F.log_softmax(model(x[:, :-1]), dim=-1).gather(-1, x[:, 1:, None]).squeeze(-1)
    # bug DIST025: return F.log_softmax(model(x[:, :-1]), dim=0).gather(-1, x[:, 1:, None]).squeeze(-1)


@torch.no_grad()
def generate(model, prompts, steps):
    x = prompts
    for _ in range(steps):
        x = torch.cat([x, torch.multinomial(model(x)[:, -1].softmax(dim=-1), 1)], dim=1)
        # bug DIST023: x = torch.cat([x, torch.multinomial(model(x)[:, -1], 1)], dim=1)
    return x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loss", choices=list(LOSSES), default="grpo")
    parser.add_argument("--advantage", choices=list(ADVANTAGES), default="grpo")
    parser.add_argument("--kl", choices=list(KL_ESTIMATORS), default="k3")
    parser.add_argument("--kl-coef", type=float, default=0.02)  # found: KL017
    parser.add_argument("--group", type=int, default=8)
    # bug ADV019, ADV020, ADV041: parser.add_argument("--group", type=int, default=1)
    args = parser.parse_args()

    model = LM()
    ref = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for it in range(40):
        x = generate(model, torch.randint(0, 8, (4, 2)).repeat_interleave(args.group, 0), 8)
        mask = torch.ones_like(x[:, 1:], dtype=torch.float32)
        rewards = (x[:, 1:] == 5).float().sum(1)
        adv = ADVANTAGES[args.advantage](rewards, args.group).unsqueeze(-1)
        with torch.no_grad():
            # bug OBJ007: if True:
            old_logp, ref_logp = token_logp(model, x), token_logp(ref, x)  # found: KL016
        for _ in range(2):
            logp = token_logp(model, x)
            loss = LOSSES[args.loss](logp, old_logp, adv, mask, 0.2)
            kl = (KL_ESTIMATORS[args.kl](logp, ref_logp) * mask).sum() / mask.sum()
            loss = loss + args.kl_coef * kl  # found: KL002
            # bug KL001: loss = loss - args.kl_coef * kl
            # bug KL016, KL017: pass
            # bug KL017: loss = loss + kl
            # bug KL004: loss = loss + args.kl_coef * kl.item()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(it, rewards.mean().item(), kl.item())


if __name__ == "__main__":
    main()
