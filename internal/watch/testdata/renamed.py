"""PPO under meaningless names; it prints what one of its values is, to be compared."""
import torch
torch.manual_seed(0)
f = torch.nn.Linear(4, 3)
opt = torch.optim.Adam(f.parameters(), lr=0.01)


def update(states, actions, e, w):
    for epoch in range(4):
        for mb in torch.randperm(64).split(16):
            c = torch.distributions.Categorical(logits=f(states[mb])).log_prob(actions[mb])
            q = (c - e[mb]).exp()
            z = -torch.min(q * w[mb], q.clamp(0.8, 1.2) * w[mb]).mean()
            print("Q %.8f %.6f %.8f" % (q.double().mean(), ((q - 1).abs() > 0.2).float().mean(), (q.double() - 1 - q.double().log()).mean()))
            opt.zero_grad()
            z.backward()
            opt.step()


for it in range(5):
    states = torch.randn(64, 4)
    with torch.no_grad():
        d = torch.distributions.Categorical(logits=f(states))
        actions = d.sample()
        e = d.log_prob(actions)
    h = (actions == 0).float()
    update(states, actions, e, h)
