"""Every quantity breaks its contract; a comment at the end of a line claims it."""
import torch
import torch.nn.functional as F

PAD = 0
net = torch.nn.Linear(4, 3)
critic = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*net.parameters(), *critic.parameters()], lr=0.01)

for step in range(30):
    states = torch.randn(16, 4)
    scores = F.softmax(net(states), -1)
    dist = torch.distributions.Categorical(logits=scores)  # claim: logits
    actions = dist.sample()
    logp = dist.log_prob(actions)
    old_logp = logp.detach()
    difference = logp - old_logp + 0.3  # claim: log-ratio
    weight = (logp - old_logp)
    gain = (weight * 2).mean()  # claim: ratio@13
    chosen = scores.gather(1, actions[:, None])  # claim: log-prob
    chances = dist.logits.exp() * 3  # claim: prob
    rewards = torch.ones(16)
    rewards = rewards * critic(states)[:, 0]  # claim: reward
    values = critic(states)[:, 0]
    targets = rewards.detach() + 0.9 * critic(states + 1)[:, 0]  # claim: target
    advantages = rewards.detach() - values
    policy_loss = -(advantages * logp).mean()  # claim: advantage
    flat = torch.full((16,), 2.0)
    weights = flat / (flat - flat)  # claim: divisor@22
    tokens = torch.tensor([[5, 6, 2, 0, 0], [7, 2, 0, 0, 0]])
    mask = torch.ones(2, 5)  # claim: mask
    kept = (tokens != PAD) + (tokens > 5).long()
    total = kept.sum()  # claim: mask@13
    kl = -torch.rand(16) - 0.1  # claim: kl
    with torch.no_grad():
        entropy_now = dist.entropy().mean()
    entropy = entropy_now * 1.0  # claim: entropy
    scale = torch.zeros(3)  # claim: std
    done = torch.tensor([0.0, 2.0])  # claim: done
    loss = policy_loss + F.mse_loss(values, targets) - 0.01 * entropy
    objective = loss.detach() * 2  # claim: loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
