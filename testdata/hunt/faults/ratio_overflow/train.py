# kind: forward; seeds: 0,1; failing: 0,1
"""One ratio for a whole sequence, reused over several epochs: opening a lock digit by digit."""
import torch
import torch.nn.functional as F

SEED = 4
torch.manual_seed(SEED)
DIGITS, LENGTH = 4, 128


class Lock:
    """Pays for each digit that is right; says only which place is next."""

    def __init__(self):
        self.code = torch.randint(DIGITS, (LENGTH,))

    def reset(self):
        self.place = 0
        return self.place

    def step(self, digits):
        reward = (digits == self.code[self.place]).float()
        self.place += 1
        return self.place, reward, self.place == LENGTH


class Dial(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Parameter(0.1 * torch.randn(LENGTH, DIGITS))

    def logps(self, digits):
        return F.log_softmax(self.table, -1).expand(len(digits), -1, -1).gather(2, digits[:, :, None])[:, :, 0]


def rollout(env, policy, n=16):
    digits, rewards, done, place = [], [], False, env.reset()
    while not done:
        with torch.no_grad():
            digits.append(torch.distributions.Categorical(logits=policy.table[place]).sample((n,)))
        place, reward, done = env.step(digits[-1])
        rewards.append(reward)
    return torch.stack(digits, 1), torch.stack(rewards, 1)


env, policy = Lock(), Dial()
optimizer = torch.optim.Adam(policy.parameters(), lr=0.7)
for update in range(8):
    digits, rewards = rollout(env, policy)
    score = rewards.sum(1)
    advantage = (score - score.mean()) / (score.std() + 1e-6)
    old = policy.logps(digits).sum(1).detach()
    for epoch in range(8):
        log_ratio = policy.logps(digits).sum(1) - old
        ratio = log_ratio.exp()  # first bad
        loss = -(ratio * advantage).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(update, "score", score.mean().item())
