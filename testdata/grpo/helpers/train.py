"""GRPO where each step of the mathematics is a small helper.

The policy completes a row of brackets; a completion earns one when the whole row is balanced.
Every quantity passes through at least one function before it is used: tuples, dictionaries,
lambdas and comprehensions carry it from there to the loss.
"""

import argparse
import copy

import torch
from torch import nn

OPEN, CLOSE, START = 0, 1, 2
LENGTH = 8


def build_policy(hidden):
    return nn.ModuleDict({
        "embed": nn.Embedding(3, hidden),
        "rnn": nn.GRU(hidden, hidden, batch_first=True),
        "head": nn.Linear(hidden, 2),
    })


def scores(net, tokens):
    features, _ = net["rnn"](net["embed"](tokens))
    return net["head"](features)


def last(x):
    return x[:, -1]


def draw(weights):
    return torch.multinomial(weights, 1)  # bug: DIST023


def rollout(net, prompts, count):
    rows = prompts
    with torch.no_grad():
        for _ in range(count):
            pick = draw(last(scores(net, rows)))
            rows = torch.cat((rows, pick), dim=1)
    return rows


def balanced(row):
    depth = 0
    for token in row:
        depth += 1 if token == OPEN else -1
        if depth < 0:
            return False
    return depth == 0


def score_rows(rows):
    return torch.tensor([1.0 if balanced(row) else 0.0 for row in rows[:, 1:].tolist()])


def log_probs(net, rows):
    table = torch.log_softmax(scores(net, rows[:, :-1]), dim=-1)
    return table.gather(-1, rows[:, 1:, None]).squeeze(-1)


def moments(x):
    return x.mean(dim=-1, keepdim=True), x.std(dim=-1, keepdim=True)


scale = lambda x, s: x / s  # bug: ADV009


def group_advantages(rewards, size):
    groups = rewards.reshape(-1, size)
    center, spread = moments(groups)
    return scale(groups - center, spread).reshape(-1)


def compare(new, old):
    return {"ratio": new - old, "tokens": new.numel()}  # bug: OBJ001


def surrogate(ratio, advantages, clip):
    bounded = torch.clamp(ratio, 1.0 - clip, 1.0 + clip)
    return torch.minimum(ratio * advantages, bounded * advantages)


def kl_estimate(new, ref):
    delta = ref - new
    return delta.exp() - delta - 1.0


def score_under(policy, reference, rows):
    with torch.no_grad():
        old = log_probs(policy, rows)
        ref = log_probs(reference, rows)  # bug: KL016
    return old, ref


def update(net, optimizer, batch, clip):
    new = log_probs(net, batch["rows"])
    result = compare(new, batch["old"])
    objective = surrogate(result["ratio"], batch["advantages"].unsqueeze(-1), clip)
    kl = kl_estimate(new, batch["ref"])
    loss = -objective.mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    return loss.item(), kl.mean().item()


def train(args):
    torch.manual_seed(args.seed)
    policy = build_policy(args.hidden)
    reference = copy.deepcopy(policy).requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=args.lr)
    starts = torch.full((args.prompts * args.group_size, 1), START)

    for step in range(args.steps):
        rows = rollout(policy, starts, LENGTH)
        rewards = score_rows(rows)
        old, ref = score_under(policy, reference, rows)
        data = {"rows": rows, "old": old, "ref": ref, "advantages": group_advantages(rewards, args.group_size)}
        for _ in range(args.epochs):
            for index in torch.randperm(len(rows)).split(args.minibatch):
                batch = {name: value[index] for name, value in data.items()}
                loss, kl = update(policy, optimizer, batch, args.clip)
        if step % args.log_every == 0:
            print(f"{step}: reward {rewards.mean():.3f} loss {loss:+.4f} kl {kl:.4f}")


def main():
    parser = argparse.ArgumentParser()
    for name, value in {"hidden": 32, "steps": 300, "prompts": 8, "group-size": 8, "epochs": 2,
                        "minibatch": 32, "log-every": 10, "seed": 3}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--clip", type=float, default=0.2)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
