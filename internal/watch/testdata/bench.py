"""PPO of the width that is its argument, on one processor. It prints how long its loop took."""
import sys
import time
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
width = int(sys.argv[1])


def network(out):
    return torch.nn.Sequential(torch.nn.Linear(64, width), torch.nn.Tanh(), torch.nn.Linear(width, width), torch.nn.Tanh(), torch.nn.Linear(width, out))


policy, critic = network(8), network(1)
optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=3e-4)


def iterate():
    states = torch.randn(512, 64)
    with torch.no_grad():
        old = torch.distributions.Categorical(logits=policy(states))
        actions, values = old.sample(), critic(states).squeeze(-1)
        old = old.log_prob(actions)
    returns = torch.randn(512)
    advantages = returns - values
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for epoch in range(4):
        for batch in torch.randperm(512).split(128):
            distribution = torch.distributions.Categorical(logits=policy(states[batch]))
            logp = distribution.log_prob(actions[batch])
            ratio = (logp - old[batch]).exp()
            clipped = ratio.clamp(0.8, 1.2)
            adv = advantages[batch]
            entropy = distribution.entropy()
            loss = -torch.min(ratio * adv, clipped * adv).mean() - 0.01 * entropy.mean()
            loss = loss + 0.5 * (critic(states[batch]).squeeze(-1) - returns[batch]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


for iteration in range(3):
    iterate()
begun = time.process_time()
for iteration in range(8):
    iterate()
print("seconds", time.process_time() - begun)
