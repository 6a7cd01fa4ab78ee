"""A right program; claims about expressions that are other quantities than the rules are about."""
import torch
import torch.nn.functional as F

net = torch.nn.Linear(4, 6)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(5):
    states, actions = torch.randn(8, 4), torch.randint(0, 6, (8, 2))
    logp_all = F.log_softmax(net(states), dim=-1)
    logp = logp_all.gather(-1, actions[:, 1:]).squeeze(-1)  # claim: TOK007
    order = torch.randperm(8)
    shuffled = logp[order]  # claim: TOK007
    ref_logp = logp.detach()
    kl = torch.exp(ref_logp - logp) - (ref_logp - logp) - 1  # claim: OBJ001@10
    optimizer.zero_grad()
    (kl.mean() - logp.mean()).backward()
    optimizer.step()
