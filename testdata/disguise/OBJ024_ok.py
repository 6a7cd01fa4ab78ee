"""Several gradient steps with a ratio or a stop, or one step a rollout, in many forms."""

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
            loss = -((log_prob(policy, x, actions) - old).exp().clamp(max=2.0) * adv).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def minibatches():
    policy, optimizer = make()
    for _ in range(3):
        x, actions, old, adv = rollout(policy)
        for _ in range(EPOCHS):
            for i in torch.randperm(64).split(16):
                ratio = (log_prob(policy, x[i], actions[i]) - old[i]).exp()
                loss = -torch.min(ratio * adv[i], ratio.clamp(0.8, 1.2) * adv[i]).mean()
                step(optimizer, loss)


def while_loop():
    policy, optimizer = make()
    for _ in range(3):
        x, actions, old, adv = rollout(policy)
        k = 0
        while k < 10:
            logp = log_prob(policy, x, actions)
            if (old - logp).mean() > 0.01:
                break
            step(optimizer, -(logp * adv).mean())
            k += 1


def data_loader():
    policy, optimizer = make()
    for _ in range(3):
        loader = DataLoader(TensorDataset(*rollout(policy)), batch_size=16, shuffle=True)
        for _ in range(EPOCHS):
            for x, actions, old, adv in loader:
                loss = -torch.mean(torch.exp(log_prob(policy, x, actions) - old).clamp(0.5, 2.0) * adv)
                step(optimizer, loss)


def from_cross_entropy():
    policy, optimizer = make()
    for _ in range(3):
        x, actions, old, adv = rollout(policy)
        for _ in range(EPOCHS):
            nll = nn.functional.cross_entropy(policy(x), actions, reduction="none")
            loss = -(torch.exp(-nll - old) * adv).mean() + 0.5 * (-nll - old).pow(2).mean()
            step(optimizer, loss)


def update(policy, optimizer, data):
    x, actions, old, adv = data
    ratio = torch.exp(log_prob(policy, x, actions) - old)
    loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
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
        ratio = (logp - self.old).exp()
        return -torch.min(ratio * self.adv, ratio.clamp(0.8, 1.2) * self.adv).mean()

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
            ratio = torch.exp(logp - old[i:i + 32])
            loss = -(torch.min(ratio * adv[i:i + 32], ratio.clamp(0.8, 1.2) * adv[i:i + 32])).mean()
            step(optimizer, loss)


def ratio_only_logged():
    policy, optimizer = make()
    for _ in range(3):
        x, actions, old, adv = rollout(policy)
        for _ in range(EPOCHS):
            logp = log_prob(policy, x, actions)
            ratio = torch.exp(logp - old)
            print("ratio", ratio.mean().item())
            step(optimizer, -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean())


def one_step_a_rollout():
    policy, optimizer = make()
    for _ in range(5):
        x, actions, _, adv = rollout(policy)
        step(optimizer, -(log_prob(policy, x, actions) * adv).mean())


def accumulated():
    policy, optimizer = make()
    for _ in range(5):
        x, actions, _, adv = rollout(policy)
        optimizer.zero_grad()
        for i in torch.arange(64).split(16):
            (-(log_prob(policy, x[i], actions[i]) * adv[i]).sum() / 64).backward()
        optimizer.step()


def critic_epochs():
    policy, optimizer = make()
    critic = nn.Linear(4, 1)
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
    for _ in range(5):
        x, actions, _, adv = rollout(policy)
        step(optimizer, -(log_prob(policy, x, actions) * adv).mean())
        for _ in range(10):
            step(critic_optimizer, (critic(x).squeeze(1) - adv).pow(2).mean())


def cloning():
    policy, optimizer = make()
    x, actions, _, _ = rollout(policy)
    for _ in range(10):
        step(optimizer, -log_prob(policy, x, actions).mean())


CASES = [epochs, minibatches, while_loop, data_loader, from_cross_entropy, helper, attribute, product_of_loops,
         ratio_only_logged, one_step_a_rollout, accumulated, critic_epochs, cloning]

if __name__ == "__main__":
    for case in CASES:
        case()
