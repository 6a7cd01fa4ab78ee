// A PPO update with three mistakes, for people who have none of their own.
export const example = `import torch
from torch.distributions import Categorical


def ppo_update(policy, optimizer, states, actions, old_logps, rewards, clip=0.2):
    advantages = (rewards - rewards.mean()) / rewards.std()
    logps = Categorical(probs=policy(states)).log_prob(actions)
    ratio = logps - old_logps
    clipped = torch.clamp(ratio, 1 - clip, 1 + clip)
    loss = -torch.min(ratio * advantages, clipped * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


policy = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
states = torch.randn(256, 4)
with torch.no_grad():
    behaviour = Categorical(logits=policy(states))
    actions = behaviour.sample()
    old_logps = behaviour.log_prob(actions)
rewards = (actions == 0).float()
for epoch in range(4):
    ppo_update(policy, optimizer, states, actions, old_logps, rewards)
`;

// The name that it is given.
export const exampleName = "ppo_example.py";
