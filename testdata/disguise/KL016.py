"""A reference model evaluated for nothing, in many forms."""

import copy
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
VOCAB, GROUP = 6, 8


class LM(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(VOCAB + 1, width), nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, VOCAB)

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])


def logps(model, ids):
    return F.log_softmax(model(ids[:, :-1]), dim=-1).gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)


@torch.no_grad()
def generate(model, length=5):
    ids = torch.full((4 * GROUP, 1), VOCAB)
    for _ in range(length):
        ids = torch.cat([ids, torch.multinomial(F.softmax(model(ids)[:, -1], dim=-1), 1)], dim=1)
    return ids


def advantages_of(ids):
    rewards = (ids[:, 1:] == 2).float().mean(dim=1).view(-1, GROUP)
    return ((rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-6)).view(-1, 1)


def clipped(new, old, advantages):
    ratio = torch.exp(new - old)
    return -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()


def step(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def never_read():
    policy = LM()
    reference = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    ids = generate(policy)
    with torch.no_grad():
        old = logps(policy, ids)
        ref = logps(reference, ids)  # bug: KL016
    for _ in range(2):
        new = logps(policy, ids)
        step(optimizer, clipped(new, old, advantages_of(ids)))


def only_printed():
    policy, frozen = LM(), LM()
    frozen.load_state_dict(policy.state_dict())
    frozen.requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    ids = generate(policy)
    with torch.no_grad():
        old = logps(policy, ids)
        ref = logps(frozen, ids)  # bug: KL016
    for _ in range(2):
        new = logps(policy, ids)
        kl = (torch.exp(ref - new) - (ref - new) - 1).mean()
        print("kl", kl.item())
        step(optimizer, clipped(new, old, advantages_of(ids)))


def term_not_added():
    policy = LM()
    base = copy.deepcopy(policy).eval()
    for p in base.parameters():
        p.requires_grad = False
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    ids = generate(policy)
    with torch.no_grad():
        old, a = logps(policy, ids), advantages_of(ids)
    for _ in range(2):
        x = logps(policy, ids)
        with torch.no_grad():
            y = logps(base, ids)  # bug: KL016
        d = y - x
        penalty = 0.02 * (d.exp() - d - 1).mean()
        loss = clipped(x, old, a)
        loss + penalty  # bug: LOOP050
        step(optimizer, loss)


def by_method():
    class Trainer:
        def __init__(self):
            self.policy = LM()
            self.ref_model = copy.deepcopy(self.policy).eval().requires_grad_(False)
            self.optimizer = torch.optim.AdamW(self.policy.parameters(), lr=1e-3)
            self.stats = {}

        def loss(self, ids, old, ref):
            new = logps(self.policy, ids)
            gap = ref - new
            self.kl = (gap.exp() - gap - 1).mean()
            self.stats["kl"] = self.kl.item()
            return clipped(new, old, advantages_of(ids))

        def train(self):
            ids = generate(self.policy)
            with torch.no_grad():
                old = logps(self.policy, ids)
                ref = logps(self.ref_model, ids)  # bug: KL016
            for _ in range(2):
                step(self.optimizer, self.loss(ids, old, ref))

    Trainer().train()


def through_dict():
    policy = LM()
    reference = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    ids = generate(policy)
    with torch.no_grad():
        batch = {
            "ids": ids,
            "old": logps(policy, ids),
            "ref": logps(reference, ids),  # bug: KL016
        }
    for _ in range(2):
        new = logps(policy, batch["ids"])
        loss = clipped(new, batch["old"], advantages_of(batch["ids"]))
        step(optimizer, loss)


def through_tuple():
    def score(model, other, ids):
        with torch.no_grad():
            return logps(model, ids), logps(other, ids)  # bug: KL016

    policy = LM()
    reference = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    ids = generate(policy)
    old, ref = score(policy, reference, ids)
    for _ in range(2):
        new = logps(policy, ids)
        loss = clipped(new, old, advantages_of(ids))
        step(optimizer, loss)


@dataclass
class Batch:
    ids: torch.Tensor
    old: torch.Tensor
    ref: torch.Tensor


def record():
    policy = LM()
    reference = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    ids = generate(policy)
    with torch.no_grad():
        ref = logps(reference, ids)  # bug: KL016
        b = Batch(ids, logps(policy, ids), ref)
    for _ in range(2):
        new = logps(policy, b.ids)
        loss = clipped(new, b.old, advantages_of(b.ids))
        step(optimizer, loss)


def full_distribution():
    policy = LM()
    reference = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    ids = generate(policy)
    with torch.no_grad():
        old = logps(policy, ids)
        target = F.softmax(reference(ids[:, :-1]), dim=-1)  # bug: KL016
    for _ in range(2):
        table = F.log_softmax(policy(ids[:, :-1]), dim=-1)
        kl = F.kl_div(table, target, reduction="none").sum(-1).mean()
        loss = clipped(logps(policy, ids), old, advantages_of(ids))
        print(kl.item())
        step(optimizer, loss)


def detached_metric_only():
    policy = LM()
    reference = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
    history = []
    ids = generate(policy)
    with torch.no_grad():
        old = logps(policy, ids)
    for _ in range(2):
        new = logps(policy, ids)
        with torch.no_grad():
            ref = logps(reference, ids)  # bug: KL016
        history.append((new.detach() - ref).mean().item())
        loss = clipped(new, old, advantages_of(ids))
        step(optimizer, loss)
    return history


def uninformative_names():
    m = LM()
    n = copy.deepcopy(m)
    n.requires_grad_(False)
    o = torch.optim.AdamW(m.parameters(), lr=1e-3)
    x = generate(m)
    with torch.no_grad():
        a, b = logps(m, x), advantages_of(x)
        c = logps(n, x)  # bug: KL016
    for _ in range(2):
        d = logps(m, x)
        e = clipped(d, a, b)
        step(o, e)


CASES = [never_read, only_printed, term_not_added, by_method, through_dict, through_tuple, record, full_distribution,
         detached_metric_only, uninformative_names]

if __name__ == "__main__":
    for case in CASES:
        case()
