# kind: gradient; seeds: 0,1; failing: 0,1
"""PPO with a recurrent cell whose square weight has a Function of its own."""
import argparse

import torch
from torch import nn

WIDTH = 12


class Mix(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h, weight):
        ctx.save_for_backward(h, weight)
        return h @ weight

    @staticmethod
    def backward(ctx, grad_output):
        h, weight = ctx.saved_tensors
        grad_h = grad_weight = None
        if ctx.needs_input_grad[0]:
            grad_h = grad_output @ weight.t()
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ h
        return grad_h, grad_weight  # first bad


class Cell(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.inputs = nn.Linear(inputs, WIDTH)
        self.weight = nn.Parameter(torch.eye(WIDTH) + 0.1 * torch.randn(WIDTH, WIDTH))

    def forward(self, x, h):
        return torch.tanh(self.inputs(x) + Mix.apply(h, self.weight))


class Recall:
    """Shows a bit, then noise; pays for the bit at the end."""

    length = 4

    def reset(self, n):
        self.bit, self.t = torch.randint(2, (n,)), 0
        return torch.stack((self.bit * 2.0 - 1, torch.ones(n)), 1)

    def step(self, action):
        self.t += 1
        last = self.t == self.length
        reward = (action == self.bit).float() if last else torch.zeros(len(action))
        return torch.stack((torch.randn(len(action)), torch.zeros(len(action))), 1), reward, last


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = Cell(2), nn.Linear(WIDTH, 2)

    def forward(self, observations):
        h, out = torch.zeros(observations.shape[1], WIDTH), []
        for x in observations:
            h = self.cell(x, h)
            out.append(self.head(h))
        return torch.log_softmax(torch.stack(out), -1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env, agent = Recall(), Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-3)
    for update in range(12):
        seen, actions, obs, last = [], [], env.reset(64), False
        with torch.no_grad():
            while not last:
                seen.append(obs)
                table = agent(torch.stack(seen))[-1]
                actions.append(torch.multinomial(table.exp(), 1).squeeze(1))
                obs, reward, last = env.step(actions[-1])
            seen, actions = torch.stack(seen), torch.stack(actions)
            old = agent(seen).gather(-1, actions[..., None]).squeeze(-1)
        advantage = reward - reward.mean()
        for epoch in range(3):
            new = agent(seen).gather(-1, actions[..., None]).squeeze(-1)
            ratio = (new - old).exp()
            loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(update, "%.3f" % reward.mean().item())


main()
