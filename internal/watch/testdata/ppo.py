"""PPO in a few lines; it prints what its ratio is, to be compared."""
import torch
torch.manual_seed(0)
policy = torch.nn.Linear(4, 3)
opt = torch.optim.Adam(policy.parameters(), lr=0.01)


def update(states, actions, old, adv):
    for epoch in range(4):
        for mb in torch.randperm(64).split(16):
            logp = torch.distributions.Categorical(logits=policy(states[mb])).log_prob(actions[mb])
            ratio = (logp - old[mb]).exp()
            loss = -torch.min(ratio * adv[mb], ratio.clamp(0.8, 1.2) * adv[mb]).mean()
            print("RATIO %.8f %.6f %.8f" % (ratio.double().mean(), ((ratio - 1).abs() > 0.2).float().mean(), (ratio.double() - 1 - ratio.double().log()).mean()))
            opt.zero_grad()
            loss.backward()
            opt.step()


for it in range(5):
    states = torch.randn(64, 4)
    with torch.no_grad():
        d = torch.distributions.Categorical(logits=policy(states))
        actions = d.sample()
        old = d.log_prob(actions)
    advantages = (actions == 0).float()
    update(states, actions, old, advantages)
