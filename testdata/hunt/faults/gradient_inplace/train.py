# kind: gradient; seeds: 0,1; failing: 0,1
"""REINFORCE with a softmax of its own that saves memory."""
import argparse
import torch


class Softmax(torch.autograd.Function):
    """Keeps exp(x) and its total for backward, and divides in place to save a copy."""

    @staticmethod
    def forward(ctx, x):
        e = (x - x.max(-1, keepdim=True).values).exp()
        total = e.sum(-1, keepdim=True)
        ctx.save_for_backward(e, total)
        p = e.detach()
        p.data.div_(total)
        return p.clone()

    @staticmethod
    def backward(ctx, grad):
        e, total = ctx.saved_tensors
        p = e / total
        inner = (grad * p).sum(-1, keepdim=True)
        return p * (grad - inner)  # first bad


class Maze:
    """Twelve rooms in a circle with one exit; the doors lead one or two rooms on, or back."""

    jumps = (-1, 1, 2)

    def reset(self):
        self.room, self.steps = 6, 0
        return self.room

    def step(self, door):
        self.room = (self.room + self.jumps[door]) % 12
        self.steps += 1
        out = self.room == 0
        return self.room, 1.0 if out else -0.05, out or self.steps == 25


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rooms = torch.nn.Embedding(12, 16)
        self.out = torch.nn.Linear(16, 3)

    def forward(self, room):
        return Softmax.apply(self.out(torch.tanh(self.rooms(torch.tensor(room)))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    torch.manual_seed(parser.parse_args().seed)
    env, policy = Maze(), Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    mean = 0.0
    for episode in range(40):
        room, done, logps, total = env.reset(), False, [], 0.0
        while not done:
            probs = policy(room)
            door = torch.multinomial(probs.detach(), 1).item()
            logps.append(torch.log(probs[door] + 1e-8))
            room, reward, done = env.step(door)
            total += reward
        loss = -torch.stack(logps).sum() * (total - mean)
        mean = 0.9 * mean + 0.1 * total
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("mean %.3f" % mean)


main()
