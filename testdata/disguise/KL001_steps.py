"""A KL penalty with the wrong sign, in a loss that is scaled for micro-batches and ranks and handed to a trainer out of sight."""

import torch
from ranks import world_size


def mean_of_rows(lengths, keeps, sizes):
    def mean(x):
        return sum([(row * keep).sum() / torch.clamp_min(size, 1) for row, keep, size in zip(x.split(lengths, dim=0), keeps, sizes)])

    return mean


def surrogate(change, adv, low, high):
    r = (-change).exp()
    return torch.maximum(-r * adv, -r.clamp(1 - low, 1 + high) * adv)


def policy_cost(args, batch, mean):
    now, before = torch.cat(batch["now"], dim=0), torch.cat(batch["before"], dim=0)
    cost = surrogate(before - now, torch.cat(batch["adv"], dim=0), args.low, args.high)
    if args.correct:
        cost = cost * torch.clamp((before - torch.cat(batch["sampled"], dim=0)).exp(), min=args.least, max=args.most)
    total = mean(cost)
    if args.keep_near:
        d = torch.cat(batch["base"], dim=0) - now
        total = total - args.pull * mean(d.exp() - 1 - d)  # bug: KL001
    return total, {"cost": total.detach()}


def value_cost(args, batch, mean):
    total = mean((batch["value"] - batch["return"]) ** 2)
    return total, {"cost": total.detach()}


def step_cost(args, batch, num_microbatches, logits):
    mean = mean_of_rows(batch["lengths"], batch["keeps"], batch["sizes"])
    cost = policy_cost if args.kind == "policy" else value_cost
    loss, log = cost(args, batch, mean)
    if args.parallel:
        loss = loss + 0 * logits.sum()
    return loss * num_microbatches / args.global_batch_size * world_size(), log
