"""A policy gradient through a block that forgets what it computed, and computes it again on the way back.

Trap: the block runs under no_grad on the way forwards; the gradients come from the backward of the Function around it.
"""

import torch
import torch.nn as nn


class Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, block, state):
        with torch.no_grad():
            outputs = block(state)
        ctx.save_for_backward(state)
        ctx.block = block
        return outputs

    @staticmethod
    def backward(ctx, *grads):
        (state,) = ctx.saved_tensors
        state = state.detach().requires_grad_()
        with torch.enable_grad():
            outputs = ctx.block(state)
        return None, *torch.autograd.grad(outputs, state, grads)


def main():
    torch.manual_seed(0)
    trunk, head = nn.Linear(4, 32), nn.Linear(32, 3)
    optimizer = torch.optim.Adam([*trunk.parameters(), *head.parameters()], lr=5e-3)

    def block(x):
        hidden = torch.tanh(x)
        return hidden, hidden * 2

    for update in range(200):
        state = torch.randn(128, 4)
        first, _ = Checkpoint.apply(block, trunk(state))
        policy = torch.distributions.Categorical(logits=head(first))
        action = policy.sample()
        reward = (action == state[:, :3].argmin(dim=1)).float()
        loss = -(policy.log_prob(action) * (reward - reward.mean())).mean() + 1e-4 * (first ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if update % 50 == 0:
            first, second = Checkpoint.apply(block, torch.randn(5, 32, requires_grad=True))
            second.sum().backward()
            print(f"{update} reward {reward.mean():.3f}")


if __name__ == "__main__":
    main()
