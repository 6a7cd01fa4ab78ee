"""A coefficient of the KL term that is used, somewhere, in many forms."""

import argparse
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


def k3(new, ref):
    return (torch.exp(ref - new) - (ref - new) - 1).mean()


def clipped(new, old, advantages):
    ratio = torch.exp(new - old)
    return -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()


class Setup:
    """A policy, its frozen copy, a rollout and the terms of the loss."""

    def __init__(self):
        self.policy = LM()
        self.reference = copy.deepcopy(self.policy).requires_grad_(False)
        self.optimizer = torch.optim.AdamW(self.policy.parameters(), lr=1e-3)
        self.ids = generate(self.policy)
        with torch.no_grad():
            self.old = logps(self.policy, self.ids)
            self.ref = logps(self.reference, self.ids)
        rewards = (self.ids[:, 1:] == 2).float().mean(dim=1, keepdim=True)
        self.advantages = rewards - rewards.mean()

    def terms(self):
        new = logps(self.policy, self.ids)
        return clipped(new, self.old, self.advantages), k3(new, self.ref)

    def step(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def keyword(setup, beta=0.04):
    for _ in range(2):
        policy_loss, kl = setup.terms()
        setup.step(policy_loss + beta * kl)


def parameter():
    keyword(Setup(), beta=0.1)


def argument():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--kl-coef", type=float, default=0.05)
    args = parser.parse_args([])
    setup = Setup()
    for _ in range(2):
        policy_loss, kl = setup.terms()
        setup.step(policy_loss.clamp(max=10 * args.clip) + args.kl_coef * kl)


@dataclass
class Config:
    steps: int = 2
    init_kl_coef: float = 0.2


def config_field():
    config, setup = Config(), Setup()
    for _ in range(config.steps):
        policy_loss, kl = setup.terms()
        setup.step(policy_loss + config.init_kl_coef * kl)


KL_COEF = 0.05


def module_constant():
    setup = Setup()
    for _ in range(2):
        policy_loss, kl = setup.terms()
        setup.step(policy_loss + KL_COEF * kl)


class Trainer:
    def __init__(self, setup, kl_beta):
        self.setup = setup
        self.kl_beta = kl_beta

    def train(self):
        policy_loss, kl = self.setup.terms()
        self.setup.step(policy_loss + self.kl_beta * kl)


def stored_attribute():
    Trainer(Setup(), kl_beta=0.1).train()


def only_logged():
    setup = Setup()
    kl_coefficient = 0.1
    policy_loss, kl = setup.terms()
    print("kl coefficient", kl_coefficient)
    setup.step(policy_loss + kl_coefficient * kl)


def passed_but_dropped():
    def total(policy_loss, kl, beta):
        return torch.add(policy_loss, kl, alpha=beta)

    setup = Setup()
    setup.step(total(*setup.terms(), 0.05))


def adaptive():
    setup, coef = Setup(), 0.1
    for _ in range(2):
        policy_loss, kl = setup.terms()
        setup.step(policy_loss + coef * kl)
        coef = coef * 1.5 if kl.item() > 0.01 else coef / 1.5


def in_the_reward(beta=0.05):
    setup = Setup()
    shaped = setup.advantages - beta * (setup.old - setup.ref)
    for _ in range(2):
        setup.step(clipped(logps(setup.policy, setup.ids), setup.old, shaped))


def preference_temperature(beta=0.1):
    setup = Setup()
    chosen, rejected = (logps(setup.policy, setup.ids) - setup.ref).sum(1).chunk(2)
    setup.step(-F.logsigmoid(beta * (chosen - rejected)).mean())


def smooth_l1_beta(beta=0.5):
    setup = Setup()
    policy_loss, kl = setup.terms()
    setup.step(policy_loss + 0.1 * F.smooth_l1_loss(kl, torch.zeros(()), beta=beta))


def adam_betas(betas=(0.9, 0.95)):
    setup = Setup()
    optimizer = torch.optim.AdamW(setup.policy.parameters(), lr=1e-3, betas=betas)
    policy_loss, kl = setup.terms()
    optimizer.zero_grad()
    (policy_loss + 0.05 * kl).backward()
    optimizer.step()


def another_weight(kl_strength=0.05, beta=0.5):  # no more than the name says that beta is for the KL
    setup = Setup()
    policy_loss, kl = setup.terms()
    setup.step(policy_loss + kl_strength * kl)


CASES = [parameter, argument, config_field, module_constant, stored_attribute, only_logged, passed_but_dropped, adaptive,
         in_the_reward, preference_temperature, smooth_l1_beta, adam_betas, another_weight]

if __name__ == "__main__":
    for case in CASES:
        case()
