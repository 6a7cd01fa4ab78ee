"""A2C whose network is made of kinks: ReLU, abs, clamp, max pooling, hardtanh, minima and medians."""
import torch
from torch import nn

torch.manual_seed(1)


class Kinked(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 6, 3, padding=1)
        self.pool = nn.MaxPool1d(2)
        self.fc = nn.Linear(24, 16)
        self.pi, self.v = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, x):
        h = self.pool(torch.relu(self.conv(x[:, None]))).flatten(1)
        h = nn.functional.hardtanh(self.fc(h)) + self.fc(h).abs().clamp(0.1, 2.0)
        h = h - h.median(1, keepdim=True).values.clamp(max=0)
        return torch.log_softmax(self.pi(h), -1), self.v(h).squeeze(-1)


class Tape:
    """Eight cells of zeros and ones; say whether there are more ones on the left."""

    def reset(self, n):
        self.cells = torch.randint(2, (n, 8)).float()
        return self.cells

    def step(self, a):
        right = (self.cells[:, :4].sum(1) > self.cells[:, 4:].sum(1)).long()
        return (a == right).float()


env, net = Tape(), Kinked()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for update in range(30):
    logp, value = net(env.reset(32))
    a = torch.multinomial(logp.detach().exp(), 1)
    reward = env.step(a.squeeze(1))
    advantage = (reward - value).detach()
    value_loss = torch.max((value - reward).abs(), (value.clamp(0, 1) - reward).abs()).mean()
    loss = -(logp.gather(1, a).squeeze(1) * advantage).mean() + value_loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("reward %.3f" % reward.mean().item())
