"""Calls that lack the tensors they need: Python raises where they run, no rule may fail on them."""
import torch
import torch.nn.functional as F


def rules_see_operations_without_operands(x, policy, target, optimizer):
    x = torch.add(out=x)
    x = torch.mul(out=x)
    x = torch.lerp()
    x = x.copy_()
    x.lerp_()
    x.add_()
    x += undefined
    x = F.softmax()
    x = F.log_softmax(dim=-1)
    x = F.mse_loss()
    x = F.mse_loss(x)
    x = torch.exp()
    torch.abs(out=x)
    x = torch.min(x)
    x = torch.min()
    x = torch.where()
    x = torch.where(x)
    x = torch.gather()
    x = torch.cat()
    x = torch.stack([])
    x = torch.clamp()
    x = torch.std()
    x = x.view()
    x = x.gather()
    torch.distributions.Normal()
    x = torch.distributions.Categorical().log_prob()
    x = torch.multinomial()
    target.load_state_dict()
    for a, b in zip(target.parameters(), policy.parameters()):
        a.data.copy_()
        a.data.lerp_()
        a.data.mul_().add_()
        torch.add(out=a.data)
    optimizer.zero_grad()
    torch.nn.functional.kl_div().backward()
    optimizer.step()
