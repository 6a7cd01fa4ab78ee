"""Every quantity is what it has to be; a comment at the end of a line claims that it is not."""
import torch
import torch.nn.functional as F

PAD = 0
net = torch.nn.Linear(4, 3)
critic = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*net.parameters(), *critic.parameters()], lr=0.01)

for step in range(30):
    states = torch.randn(16, 4)
    scores = net(states)
    dist = torch.distributions.Categorical(logits=scores)  # claim: logits
    actions = dist.sample()
    logp = dist.log_prob(actions)  # claim: log-prob
    old_logp = logp.detach()
    difference = logp - old_logp  # claim: log-ratio
    weight = difference.exp()
    gain = weight.mean()  # claim: ratio@12
    chances = dist.logits.exp()  # claim: prob
    rewards = torch.ones(16)  # claim: reward
    observed, reward, info = states, 1.0, {}  # claim: reward
    values = critic(states)[:, 0]
    with torch.no_grad():
        targets = rewards + 0.9 * critic(states + 1)[:, 0]  # claim: target
    advantages = targets - values
    value_loss = (advantages ** 2).mean()  # claim: advantage
    policy_loss = -(advantages.detach() * logp).mean()  # claim: advantage
    flat = torch.full((16,), 2.0)
    weights = flat / (flat + 1e-8)  # claim: divisor@22
    tokens = torch.tensor([[5, 6, 2, 0, 0], [7, 2, 0, 0, 0]])
    mask = (tokens != PAD).float()  # claim: mask
    kl = torch.distributions.kl_divergence(dist, torch.distributions.Categorical(logits=torch.zeros(3)))  # claim: kl
    entropy = dist.entropy().mean()  # claim: entropy
    scale = torch.ones(3)  # claim: std
    done = torch.tensor([0.0, 1.0])  # claim: done
    loss = policy_loss + value_loss - 0.01 * entropy  # claim: loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
