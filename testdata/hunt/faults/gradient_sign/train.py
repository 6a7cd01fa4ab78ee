# kind: gradient; seeds: 0,1; failing: 0,1
"""Rewards learnt from preferences, and a policy that follows them."""
import torch
import torch.nn.functional as F

torch.manual_seed(5)


class PreferenceLoss(torch.autograd.Function):
    """-log sigmoid(chosen - rejected), written by hand to stay finite."""

    @staticmethod
    def forward(ctx, chosen, rejected):
        margin = chosen - rejected
        ctx.save_for_backward(margin)
        return F.softplus(-margin)

    @staticmethod
    def backward(ctx, grad):
        (margin,) = ctx.saved_tensors
        slope = torch.sigmoid(-margin) * grad
        return -slope, -slope  # first bad


class Segments:
    """Pairs of feature vectors; a hidden vector says which one people like."""

    def __init__(self, width=6):
        self.hidden = torch.randn(width)

    def reset(self, n):
        a, b = torch.randn(2, n, len(self.hidden))
        better = (a @ self.hidden > b @ self.hidden)[:, None]
        return torch.where(better, a, b), torch.where(better, b, a)

    def step(self, x):
        return x @ self.hidden


class RewardModel(torch.nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.a = torch.nn.Linear(width, 16)
        self.b = torch.nn.Linear(16, 1)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x))).squeeze(-1)


env, model = Segments(), RewardModel()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(60):
    chosen, rejected = env.reset(32)
    loss = PreferenceLoss.apply(model(chosen), model(rejected)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

policy = torch.nn.Linear(6, 6)
actor = torch.optim.SGD(policy.parameters(), lr=0.05)
for step in range(20):
    states = torch.randn(32, 6)
    gain = -model(states + policy(states)).mean()
    actor.zero_grad()
    gain.backward()
    actor.step()
print("loss %.4f gain %.4f" % (loss.item(), gain.item()))
