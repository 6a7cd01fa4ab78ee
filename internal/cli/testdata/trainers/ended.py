"""A trainer that ends before its advantages are computed."""
import torch


def train(steps):
    policy = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
    for _ in range(steps):
        if steps > 0:
            raise SystemExit(3)
        rewards = torch.ones(16)
        advantages = (rewards - rewards.mean()) / rewards.std()
        logps = torch.log_softmax(policy(torch.randn(16, 4)), dim=-1)[:, 0]
        loss = -(advantages * logps).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(6)
