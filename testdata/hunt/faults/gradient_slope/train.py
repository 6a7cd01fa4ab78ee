# kind: gradient; seeds: 0,1; failing: 0,1
"""Policy gradient for queues with leaky units."""
import torch
from torch import nn

torch.manual_seed(21)


class Leaky(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.slope = slope
        ctx.save_for_backward(x)
        return torch.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return torch.where(x > 0, ctx.slope * grad, grad), None  # first bad


class Queues:
    """Three queues fill at random; serve one at a time."""

    def reset(self):
        self.lengths = torch.zeros(3)
        self.t = 0
        return self.lengths.clone()

    def step(self, which):
        self.lengths += (torch.rand(3) < torch.tensor([0.2, 0.3, 0.4])).float()
        self.lengths[which] = (self.lengths[which] - 1).clamp(min=0)
        self.t += 1
        return self.lengths.clone(), -self.lengths.sum().item() / 10, self.t == 20


class Server(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(3, 16), nn.Linear(16, 3)

    def forward(self, x):
        return self.two(Leaky.apply(self.one(x), 0.1))


env, server = Queues(), Server()
optimizer = torch.optim.Adam(server.parameters(), lr=5e-3)
for episode in range(25):
    obs, done, logps, rewards = env.reset(), False, [], []
    while not done:
        dist = torch.distributions.Categorical(logits=server(obs))
        a = dist.sample()
        logps.append(dist.log_prob(a))
        obs, r, done = env.step(a)
        rewards.append(r)
    togo = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    loss = -(torch.stack(logps) * (togo - togo.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("cost", -sum(rewards))
