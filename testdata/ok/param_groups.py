"""A network that grows while it learns; new layers are handed to the optimiser with add_param_group.

Trap: layers are appended and heads replaced after `Adam(net.parameters())`; each time the new parameters join the optimiser in
the same method. A learning-rate schedule writes into param_groups.
"""

import argparse

import torch
from torch import nn
from torch.nn import functional as F


class GrowingPolicy(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.width = width
        self.layers = nn.ModuleList([nn.Linear(inputs, width)])
        self.heads = nn.ModuleDict({"two": nn.Linear(width, 2)})

    def forward(self, x, head):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return torch.distributions.Categorical(logits=self.heads[head](x))


class Learner:
    def __init__(self, lr):
        self.policy = GrowingPolicy(5, 32)
        self.lr = lr
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=lr)
        self.baseline = 0.0

    def deepen(self):
        layer = nn.Linear(self.policy.width, self.policy.width)
        with torch.no_grad():
            layer.weight.copy_(torch.eye(self.policy.width))
            layer.bias.zero_()
        self.policy.layers.append(layer)
        self.optimizer.add_param_group({"params": layer.parameters(), "lr": self.lr})

    def add_head(self, name, actions):
        self.policy.heads[name] = nn.Linear(self.policy.width, actions)
        self.optimizer.add_param_group({"params": self.policy.heads[name].parameters()})

    def anneal(self, progress):
        for group in self.optimizer.param_groups:
            group["lr"] = self.lr * (1.0 - 0.9 * progress)

    def step(self, head, actions):
        x = torch.randn(128, 5)
        dist = self.policy(x, head)
        action = dist.sample()
        score = F.softmax(3 * x[:, :actions], dim=-1).gather(1, action.unsqueeze(1)).squeeze(1)
        loss = -(dist.log_prob(action) * (score - self.baseline)).mean()
        self.baseline = 0.95 * self.baseline + 0.05 * score.mean().item()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return score.mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--updates", type=int, default=300)
    args = parser.parse_args()
    torch.manual_seed(0)
    learner = Learner(lr=3e-3)
    head, actions = "two", 2
    for update in range(args.updates):
        if update == args.updates // 3:
            learner.deepen()
        if update == 2 * args.updates // 3:
            learner.add_head("four", 4)
            head, actions = "four", 4
        learner.anneal(update / args.updates)
        score = learner.step(head, actions)
        if update % 50 == 0:
            print(f"{update} layers {len(learner.policy.layers)} head {head} score {score:.3f}")


if __name__ == "__main__":
    main()
