"""Minimal PPO whose batches are dictionaries and whose functions are free functions.

Trap: log-probs travel under dictionary keys through a dict comprehension before the subtraction; the ratio is
written as a power of e by torch.exp on the difference of two subscripts. The group of advantages is scaled by its
largest magnitude, clamped from below, not by a standard deviation.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

STATES, ACTIONS, HORIZON = 6, 2, 20


def chain_step(state, action):
    """A chain: action 1 moves right with probability 0.8, action 0 moves left; the right end pays."""
    right = (action == 1) & (torch.rand(state.shape) < 0.8)
    state = (state + torch.where(right, 1, -1)).clamp(0, STATES - 1)
    return state, (state == STATES - 1).float()


def one_hot(state):
    return F.one_hot(state, STATES).float()


def collect(model, envs):
    state = torch.randint(0, STATES - 1, (envs,))
    rows = {"obs": [], "action": [], "logp": [], "value": [], "reward": []}
    for _ in range(HORIZON):
        with torch.no_grad():
            logits, value = model(one_hot(state)).split([ACTIONS, 1], dim=-1)
            dist = torch.distributions.Categorical(logits=logits)
            action = dist.sample()
        following, reward = chain_step(state, action)
        for key, item in zip(rows, (one_hot(state), action, dist.log_prob(action), value.squeeze(-1), reward)):
            rows[key].append(item)
        state = following
    with torch.no_grad():
        last = model(one_hot(state))[..., -1]
    batch = {key: torch.stack(items) for key, items in rows.items()}
    return batch, last


def add_advantages(batch, last, gamma=0.95, lam=0.9):
    """The chain never ends, so every step bootstraps."""
    values = torch.cat([batch["value"], last[None]])
    advantage, out = torch.zeros_like(last), []
    for t in reversed(range(HORIZON)):
        delta = batch["reward"][t] + gamma * values[t + 1] - values[t]
        advantage = delta + gamma * lam * advantage
        out.append(advantage)
    adv = torch.stack(out[::-1])
    batch["return"] = adv + batch["value"]
    batch["adv"] = (adv - adv.mean()) / adv.abs().max().clamp(min=1e-3)
    return batch


def flatten(batch):
    return {key: item.flatten(0, 1) for key, item in batch.items()}


def ppo_loss(model, batch, clip=0.2, value_weight=0.5, entropy_weight=0.01):
    logits, value = model(batch["obs"]).split([ACTIONS, 1], dim=-1)
    dist = torch.distributions.Categorical(logits=logits)
    new = {"logp": dist.log_prob(batch["action"]), "value": value.squeeze(-1)}
    ratio = torch.exp(new["logp"] - batch["logp"])
    bounded = torch.clamp(ratio, 1 - clip, 1 + clip)
    objective = torch.minimum(ratio * batch["adv"], bounded * batch["adv"]).mean()
    value_loss = F.smooth_l1_loss(new["value"], batch["return"])
    return -objective + value_weight * value_loss - entropy_weight * dist.entropy().mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    model = nn.Sequential(nn.Linear(STATES, 32), nn.Tanh(), nn.Linear(32, ACTIONS + 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for iteration in range(args.iterations):
        batch = flatten(add_advantages(*collect(model, args.envs)))
        for _ in range(4):
            for index in torch.randperm(batch["action"].numel()).chunk(4):
                loss = ppo_loss(model, {key: item[index] for key, item in batch.items()})
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
        if iteration % 10 == 0:
            print(iteration, "reward", round(batch["reward"].mean().item(), 3), "loss", round(loss.item(), 4))


if __name__ == "__main__":
    main()
