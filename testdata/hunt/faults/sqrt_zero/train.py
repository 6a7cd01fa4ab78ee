# kind: backward; seeds: 0,1; failing: 0,1
"""PPO on a bandit with a bonus for a wide policy."""
import torch
from torch import nn

torch.manual_seed(11)

ARMS = 6


class Bandit:
    def __init__(self):
        self.means = torch.randn(ARMS)

    def reset(self):
        return torch.zeros(1)

    def step(self, actions):
        return self.means[actions] + 0.1 * torch.randn(actions.shape)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(ARMS))

    def forward(self):
        return torch.log_softmax(self.logits, -1)

    def spread(self):
        """Root mean square distance of the logits from their middle."""
        centred = self.logits - self.logits.mean()
        variance = centred.pow(2).mean()
        return torch.sqrt(variance)  # first bad


def surrogate(logp, old, advantage, clip=0.2):
    ratio = torch.exp(logp - old)
    return -torch.min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()


env, policy = Bandit(), Policy()
optimizer = torch.optim.SGD(policy.parameters(), lr=0.3)
baseline = 0.0
for update in range(30):
    with torch.no_grad():
        table = policy()
        actions = torch.multinomial(table.exp(), 64, replacement=True)
        old = table[actions]
    rewards = env.step(actions)
    advantage = rewards - baseline
    baseline += 0.2 * (rewards.mean() - baseline)
    for epoch in range(3):
        loss = surrogate(policy()[actions], old, advantage) + 0.01 * policy.spread()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if update % 10 == 0:
        print(update, "reward %.3f loss %.3f" % (rewards.mean(), loss.item()))
