"""Policy-gradient losses by name: LOSSES["ppo"](...)."""

import sys
from typing import Callable, Dict

import torch
import torch.nn as nn
import torch.nn.functional as F

LOSSES: Dict[str, Callable] = {}
NETWORKS: Dict[str, type] = {}


def loss(name):
    def add(function):
        LOSSES[name] = function
        return function

    return add


def network(cls):
    NETWORKS[cls.__name__.lower()] = cls
    return cls


@network
class MLP(nn.Module):
    def __init__(self, inputs, actions):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(inputs, 64), nn.ReLU())
        self.policy, self.value = nn.Linear(64, actions), nn.Linear(64, 1)

    def forward(self, x):
        h = self.shared(x)
        return self.policy(h), self.value(h).squeeze(-1)


@loss("a2c")
def a2c(logp, batch, clip):
    return -(logp * batch["adv"]).mean()


@loss("ppo")
def ppo(logp, batch, clip):
    ratio = torch.exp(logp - batch["logp"])  # found: OBJ007
    # bug OBJ001: ratio = logp - batch["logp"]
    # bug OBJ020: ratio = torch.exp(batch["logp"] - logp)
    bounded = torch.clamp(ratio, 1 - clip, 1 + clip)
    # bug OBJ022: bounded = torch.clamp(ratio, -clip, clip)
    return -torch.min(ratio * batch["adv"], bounded * batch["adv"]).mean()
    # bug OBJ002: return -torch.max(ratio * batch["adv"], bounded * batch["adv"]).mean()


@loss("value")
def value_loss(value, batch, clip):
    return F.smooth_l1_loss(value, batch["ret"])


@loss("entropy")
def entropy_loss(dist, batch, clip):
    return -dist.entropy().mean()
    # bug OBJ012: return dist.entropy().mean()


def bandit_step(state, action):
    """A chain of 8 states; the right end pays and ends the episode."""
    state = (state + 2 * action - 1).clamp(0, 7)
    done = (state == 7).float()
    return torch.where(done.bool(), torch.zeros_like(state), state), done, done


def one_hot(state):
    return F.one_hot(state, 8).float()


def distribution(net, obs):
    logits, value = net(obs)
    return torch.distributions.Categorical(logits=logits), value
    # bug DIST001: return torch.distributions.Categorical(probs=logits), value


def collect(net, state, steps):
    rows = []
    for _ in range(steps):
        with torch.no_grad():
            # bug OBJ007, ADV017: if True:
            dist, value = distribution(net, one_hot(state))
            action = dist.sample()
            logp = dist.log_prob(action)
        obs = one_hot(state)
        state, reward, done = bandit_step(state, action)
        rows.append((obs, action, logp, value, reward, done))
    obs, actions, logps, values, rewards, dones = map(torch.stack, zip(*rows))
    with torch.no_grad():
        last = distribution(net, one_hot(state))[1]
    ret, advs = last, []
    gae = torch.zeros_like(last)
    for t in reversed(range(steps)):
        delta = rewards[t] + 0.95 * ret * (1 - dones[t]) - values[t]
        gae = delta + 0.95 * 0.9 * (1 - dones[t]) * gae  # found: ADV017
        ret = values[t]
        advs.append(gae)
    adv = torch.stack(advs[::-1])
    batch = {"obs": obs, "action": actions, "logp": logps, "adv": adv, "ret": adv + values}
    return {k: v.flatten(0, 1) for k, v in batch.items()}, state, rewards.mean().item()


def main(name="ppo", iterations=40):
    net = NETWORKS["mlp"](8, 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    state = torch.zeros(16, dtype=torch.long)
    for it in range(iterations):
        batch, state, reward = collect(net, state, 32)
        adv = batch["adv"]
        batch["adv"] = (adv - adv.mean()) / (adv.std() + 1e-8)
        # bug ADV009: batch["adv"] = (adv - adv.mean()) / adv.std()
        for _ in range(1 if name == "a2c" else 4):
            dist, value = distribution(net, batch["obs"])
            total = LOSSES[name](dist.log_prob(batch["action"]), batch, 0.2)
            total = total + 0.5 * LOSSES["value"](value, batch, 0.2) + 0.01 * LOSSES["entropy"](dist, batch, 0.2)  # found: OBJ012
            optimizer.zero_grad()
            total.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            # bug LOOP004: optimizer.step()
            optimizer.step()
            # and: nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        print(it, reward, total.item())


if __name__ == "__main__":
    main(*sys.argv[1:])
