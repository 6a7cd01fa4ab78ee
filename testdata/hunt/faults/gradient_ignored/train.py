# kind: gradient; seeds: 0,1; failing: 0,1
"""A2C with inverse square root linear units."""
import torch as th
import torch.nn as nn
import torch.nn.functional as F

th.manual_seed(3)
ALPHA = 3.0


class ISRLU(th.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return th.where(x >= 0, x, x / th.sqrt(1 + ALPHA * x * x))

    @staticmethod
    def backward(ctx, grad_out):
        x = ctx.saved_tensors[0]
        slope = th.where(x >= 0, th.ones_like(x), (1 + ALPHA * x * x) ** -1.5)
        return slope  # first bad


class Block(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.fc = nn.Linear(i, o)

    def forward(self, x):
        return ISRLU.apply(self.fc(x))


class Balance:
    """A pole that falls by itself; two pushes."""

    def reset(self, n):
        self.state = 0.05 * th.randn(n, 2)
        return self.state

    def step(self, a):
        angle, speed = self.state.unbind(1)
        speed = speed + 0.05 * th.sin(angle) + 0.02 * (a.float() * 2 - 1)
        self.state = th.stack([angle + speed, speed], 1)
        return self.state, (self.state[:, 0].abs() < 0.5).float()


env = Balance()
body = nn.Sequential(Block(2, 24), Block(24, 24))
pi, v = nn.Linear(24, 2), nn.Linear(24, 1)
params = [p for m in (body, pi, v) for p in m.parameters()]
opt = th.optim.Adam(params, lr=1e-3)
obs = env.reset(16)
for update in range(25):
    logps, values, rewards, entropies = [], [], [], []
    for t in range(8):
        h = body(obs)
        dist = th.distributions.Categorical(logits=pi(h))
        a = dist.sample()
        obs, r = env.step(a)
        logps.append(dist.log_prob(a)); values.append(v(h)[:, 0]); rewards.append(r); entropies.append(dist.entropy())
    with th.no_grad():
        ret = v(body(obs))[:, 0]
    returns = []
    for r in rewards[::-1]:
        ret = r + 0.95 * ret
        returns.append(ret)
    returns, values = th.stack(returns[::-1]), th.stack(values)
    adv = (returns - values).detach()
    loss = -(th.stack(logps) * adv).mean() + 0.5 * F.mse_loss(values, returns) - 0.01 * th.stack(entropies).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    if update % 5 == 0:
        obs = env.reset(16)
print("upright", float(th.stack(rewards).mean()))
