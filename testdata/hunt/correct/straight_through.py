"""REINFORCE with codes that are rounded forward and passed through backward, deliberately."""
import torch
from torch import nn

torch.manual_seed(3)


class Round(torch.autograd.Function):
    """Rounds, with the gradient of the identity: a straight-through estimator."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class Sign(torch.autograd.Function):
    """The sign, with a gradient where the input is small, as in binary networks."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x.abs() <= 1)


class Coded(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 16), nn.Linear(16, 3)

    def forward(self, x):
        h = self.first(x)
        return self.second(Round.apply(2 * torch.tanh(h)) / 2 + 0.1 * Sign.apply(h))


class Largest:
    """Which of the first three numbers is the largest?"""

    def reset(self, n):
        self.x = torch.randn(n, 4)
        return self.x

    def step(self, a):
        return (self.x[:, :3].argmax(1) == a).float()


env, policy = Largest(), Coded()
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
for update in range(25):
    logp = torch.log_softmax(policy(env.reset(64)), -1)
    a = torch.multinomial(logp.detach().exp(), 1)
    reward = env.step(a.squeeze(1))
    loss = -(logp.gather(1, a).squeeze(1) * (reward - reward.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("reward %.3f" % reward.mean().item())
