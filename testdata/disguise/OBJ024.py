"""Several gradient steps on one rollout without ratio, clip or KL stop, in many forms."""

import itertools

import torch
import torch.nn as nn
from torch.distributions import Categorical
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
EPOCHS = 4


def make():
    policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
    return policy, torch.optim.Adam(policy.parameters(), lr=1e-3)


def rollout(policy):
    x = torch.randn(64, 4)
    with torch.no_grad():
        dist = Categorical(logits=policy(x))
        actions = dist.sample()
        old = dist.log_prob(actions)
    rewards = (actions == x[:, :3].argmax(dim=1)).float()
    return x, actions, old, rewards - rewards.mean()


def log_prob(policy, x, actions):
    return Categorical(logits=policy(x)).log_prob(actions)


def step(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def epochs():
    policy, optimizer = make()
    for _ in range(3):
        x, actions, old, adv = rollout(policy)
        for _ in range(EPOCHS):
            loss = -(log_prob(policy, x, actions) * adv).mean()  # bug: OBJ024
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def minibatches():
    policy, optimizer = make()
    for _ in range(3):
        x, actions, old, adv = rollout(policy)
        for _ in range(EPOCHS):
            for i in torch.randperm(64).split(16):
                loss = -(log_prob(policy, x[i], actions[i]) * adv[i]).mean()  # bug: OBJ024
                step(optimizer, loss)


def while_loop():
    policy, optimizer = make()
    for _ in range(3):
        x, actions, old, adv = rollout(policy)
        k = 0
        while k < 10:
            logp = log_prob(policy, x, actions)
            step(optimizer, -(logp * adv).mean())  # bug: OBJ024
            k += 1


def data_loader():
    policy, optimizer = make()
    for _ in range(3):
        loader = DataLoader(TensorDataset(*rollout(policy)), batch_size=16, shuffle=True)
        for _ in range(EPOCHS):
            for x, actions, old, adv in loader:
                loss = -torch.mean(log_prob(policy, x, actions) * adv)  # bug: OBJ024
                step(optimizer, loss)


def from_cross_entropy():
    policy, optimizer = make()
    for _ in range(3):
        x, actions, old, adv = rollout(policy)
        for _ in range(EPOCHS):
            nll = nn.functional.cross_entropy(policy(x), actions, reduction="none")
            loss = (nll * adv).mean()  # bug: OBJ024
            step(optimizer, loss)


def update(policy, optimizer, data):
    x, actions, old, adv = data
    loss = -(log_prob(policy, x, actions) * adv).mean()  # bug: OBJ024
    step(optimizer, loss)


def helper():
    policy, optimizer = make()
    for _ in range(3):
        data = rollout(policy)
        for _ in range(EPOCHS):
            update(policy, optimizer, data)


class Trainer:
    def __init__(self, epochs):
        self.policy, self.optimizer = make()
        self.epochs = epochs

    def loss(self):
        logp = log_prob(self.policy, self.x, self.actions)
        return -(logp * self.adv).mean()  # bug: OBJ024

    def train(self, iterations):
        for _ in range(iterations):
            self.x, self.actions, self.old, self.adv = rollout(self.policy)
            for _ in range(self.epochs):
                step(self.optimizer, self.loss())


def attribute():
    Trainer(epochs=5).train(3)


def product_of_loops():
    policy, optimizer = make()
    for _ in range(3):
        x, actions, old, adv = rollout(policy)
        for _, i in itertools.product(range(EPOCHS), range(0, 64, 32)):
            logp = log_prob(policy, x[i:i + 32], actions[i:i + 32])
            loss = -(logp * adv[i:i + 32]).mean()  # bug: OBJ024
            step(optimizer, loss)


def ratio_only_logged():
    policy, optimizer = make()
    for _ in range(3):
        x, actions, old, adv = rollout(policy)
        for _ in range(EPOCHS):
            logp = log_prob(policy, x, actions)
            ratio = torch.exp(logp - old)
            print("ratio", ratio.mean().item())
            step(optimizer, -(logp * adv).mean())  # bug: OBJ024


CASES = [epochs, minibatches, while_loop, data_loader, from_cross_entropy, helper, attribute, product_of_loops,
         ratio_only_logged]

if __name__ == "__main__":
    for case in CASES:
        case()
