# kind: gradient; seeds: 0,1,2; failing: 0,1,2
"""A2C with a recurrent policy of ten Functions by hand, which has to remember what it saw first."""
import argparse

import torch
from torch import nn
from torch.autograd import Function


class Affine(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x @ weight.t() + bias

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad @ weight, grad.t() @ x, grad.sum(0)


class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        y = 1 / (1 + torch.exp(-x))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        y, = ctx.saved_tensors
        return grad * y * (1 - y)


class Tanh(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.tanh(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        y, = ctx.saved_tensors
        return grad * (1 - y * y)


class Product(Function):
    @staticmethod
    def forward(ctx, gate, x):
        ctx.save_for_backward(gate, x)
        return gate * x

    @staticmethod
    def backward(ctx, grad):
        gate, x = ctx.saved_tensors
        return grad * x, grad * gate


class Blend(Function):
    """The new state: of the old one as much as the gate says, the rest of the candidate."""

    @staticmethod
    def forward(ctx, gate, state, candidate):
        following = gate * state + (1 - gate) * candidate
        ctx.save_for_backward(gate, state, candidate, following)
        return following

    @staticmethod
    def backward(ctx, grad):
        gate, state, candidate, following = ctx.saved_tensors
        # right: return grad * (state - candidate), grad * gate, grad * (1 - gate)
        return grad * (following - candidate), grad * gate, grad * (1 - gate)  # first bad


class Reset(Function):
    """Forgets the state where an episode ended."""

    @staticmethod
    def forward(ctx, state, alive):
        ctx.save_for_backward(alive)
        return state * alive[:, None]

    @staticmethod
    def backward(ctx, grad):
        alive, = ctx.saved_tensors
        return grad * alive[:, None], None


class LogSoftmax(Function):
    @staticmethod
    def forward(ctx, x):
        y = x - torch.logsumexp(x, -1, keepdim=True)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        y, = ctx.saved_tensors
        return grad - y.exp() * grad.sum(-1, keepdim=True)


class Chosen(Function):
    @staticmethod
    def forward(ctx, logp, actions):
        ctx.save_for_backward(actions)
        ctx.shape = logp.shape
        return logp.gather(-1, actions[..., None]).squeeze(-1)

    @staticmethod
    def backward(ctx, grad):
        actions, = ctx.saved_tensors
        return grad.new_zeros(ctx.shape).scatter(-1, actions[..., None], grad[..., None]), None


class Entropy(Function):
    @staticmethod
    def forward(ctx, logp):
        ctx.save_for_backward(logp)
        return -(logp.exp() * logp).sum(-1).mean()

    @staticmethod
    def backward(ctx, grad):
        logp, = ctx.saved_tensors
        return -grad * logp.exp() * (logp + 1) / logp[..., 0].numel()


class SquaredError(Function):
    @staticmethod
    def forward(ctx, values, returns):
        ctx.save_for_backward(values, returns)
        return (values - returns).square().mean()

    @staticmethod
    def backward(ctx, grad):
        values, returns = ctx.saved_tensors
        return grad * 2 * (values - returns) / values.numel(), None


class Dense(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) / inputs**0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return Affine.apply(x, self.weight, self.bias)


class Recurrent(nn.Module):
    def __init__(self, inputs, width, actions):
        super().__init__()
        self.x, self.h = Dense(inputs, 3 * width), Dense(width, 3 * width)
        self.policy, self.value = Dense(width, actions), Dense(width, 1)

    def forward(self, x, state, alive):
        state = Reset.apply(state, alive)
        (r, z, n), (hr, hz, hn) = self.x(x).chunk(3, -1), self.h(state).chunk(3, -1)
        candidate = Tanh.apply(n + Product.apply(Sigmoid.apply(r + hr), hn))
        state = Blend.apply(Sigmoid.apply(z + hz), state, candidate)
        return LogSoftmax.apply(self.policy(state)), self.value(state).squeeze(-1), state


class Recall:
    """A cue is shown at first; the last action of the episode should name it."""

    def __init__(self, count, cues, length):
        self.count, self.cues, self.length = count, cues, length

    def reset(self):
        self.time, self.cue = 0, torch.randint(self.cues, (self.count,))
        return self.seen()

    def seen(self):
        x = torch.zeros(self.count, self.cues + 1)
        x[:, -1] = self.time / self.length
        if self.time == 0:
            x[torch.arange(self.count), self.cue] = 1
        return x

    def step(self, actions):
        self.time += 1
        done = self.time == self.length
        rewards = (actions == self.cue).float() if done else torch.zeros(self.count)
        return (self.reset() if done else self.seen()), rewards, torch.full((self.count,), float(done))


def main(args):
    torch.manual_seed(args.seed)
    env, net = Recall(args.count, 4, args.length), Recurrent(5, args.width, 4)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    x, state, alive = env.reset(), torch.zeros(args.count, args.width), torch.ones(args.count)
    for update in range(args.updates):
        kept, state = [], state.detach()
        for _ in range(2 * args.length):
            logp, value, state = net(x, state, alive)
            actions = torch.multinomial(logp.detach().exp(), 1).squeeze(1)
            x, rewards, done = env.step(actions)
            alive = 1 - done
            kept.append((logp, value, actions, rewards, alive))
        with torch.no_grad():
            following = net(x, state, alive)[1]
        returns = []
        for _, _, _, rewards, going in reversed(kept):
            following = rewards + 0.95 * going * following
            returns.insert(0, following)
        logp, values, actions, returns = *(torch.stack([k[i] for k in kept]) for i in range(3)), torch.stack(returns)
        advantages = returns - values.detach()
        loss = -(Chosen.apply(logp, actions) * advantages).mean() + 0.5 * SquaredError.apply(values, returns) - 0.01 * Entropy.apply(logp)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        if update % 10 == 0:
            print(update, returns.mean().item())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    for name, value in (("updates", 6), ("width", 8), ("count", 6), ("length", 3)):
        parser.add_argument("--" + name, type=int, default=value)
    main(parser.parse_args())
