"""TRPO: natural gradient by conjugate gradients and a backtracking line search.

Trap: the surrogate is `exp(new - old) * advantage` with `new` equal to `old` at the point of the gradient; no clip
anywhere, the trust region is the KL in the line search. Parameters are overwritten through vector_to_parameters.
Quotients of scalars divide by dot products that carry an epsilon.
"""

import argparse

import torch
import torch.nn as nn
from torch.distributions import Categorical, kl_divergence
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class River:
    """Cross a river of width 6 against the current."""

    width, limit = 6, 30

    def reset(self):
        self.x, self.drift, self.clock = 0, 0.0, 0
        return self.observe()

    def observe(self):
        return torch.tensor([self.x / self.width, self.drift / 5.0])

    def step(self, action):
        self.clock += 1
        self.x = max(0, self.x + (1 if action == 1 else 0))
        self.drift += (0.6 if action == 1 else -0.4) + 0.1 * torch.randn(()).item()
        crossed, lost = self.x >= self.width, abs(self.drift) > 3
        return self.observe(), (1.0 if crossed else -1.0 if lost else -0.01), crossed or lost or self.clock >= self.limit


def collect(policy, steps, gamma):
    env, xs, actions, rewards, ends = River(), [], [], [], []
    x = env.reset()
    for _ in range(steps):
        with torch.no_grad():
            a = Categorical(logits=policy(x)).sample()
        y, r, done = env.step(a.item())
        xs.append(x)
        actions.append(a)
        rewards.append(r)
        ends.append(done)
        x = env.reset() if done else y
    returns, running = [0.0] * steps, 0.0
    for t in reversed(range(steps)):
        running = rewards[t] + gamma * running * (1.0 - float(ends[t]))
        returns[t] = running
    return torch.stack(xs), torch.stack(actions), torch.tensor(returns), sum(rewards) / max(1, sum(ends))


def conjugate_gradient(product, b, iterations=10, tolerance=1e-10):
    x, r = torch.zeros_like(b), b.clone()
    p, rs = r.clone(), r.dot(r)
    for _ in range(iterations):
        ap = product(p)
        alpha = rs / (p.dot(ap) + 1e-8)
        x, r = x + alpha * p, r - alpha * ap
        fresh = r.dot(r)
        if fresh < tolerance:
            break
        p, rs = r + (fresh / rs) * p, fresh
    return x


def flat_grad(value, parameters, **kwargs):
    return torch.cat([g.reshape(-1) for g in torch.autograd.grad(value, parameters, **kwargs)])


def trpo_step(policy, xs, actions, advantages, max_kl, damping=0.1):
    parameters = list(policy.parameters())
    with torch.no_grad():
        before = Categorical(logits=policy(xs))
        old_logp = before.log_prob(actions)

    def surrogate():
        logp = Categorical(logits=policy(xs)).log_prob(actions)
        return (torch.exp(logp - old_logp) * advantages).mean()

    def mean_kl():
        return kl_divergence(before, Categorical(logits=policy(xs))).mean()

    def fisher_product(v):
        g = flat_grad(mean_kl(), parameters, create_graph=True)
        return flat_grad(g.dot(v), parameters) + damping * v

    gain = surrogate()
    g = flat_grad(gain, parameters)
    direction = conjugate_gradient(fisher_product, g)
    curvature = direction.dot(fisher_product(direction))
    step = direction * torch.sqrt(2 * max_kl / (curvature + 1e-8))
    start = parameters_to_vector(parameters).detach()
    for fraction in 0.5 ** torch.arange(10, dtype=torch.float32):
        vector_to_parameters(start + fraction * step, parameters)
        with torch.no_grad():
            if surrogate() > gain and mean_kl() <= max_kl:
                return mean_kl().item()
    vector_to_parameters(start, parameters)
    return 0.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--max-kl", type=float, default=0.01)
    args = parser.parse_args()
    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
    critic = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(critic.parameters(), lr=5e-3)
    for iteration in range(args.iterations):
        xs, actions, returns, score = collect(policy, args.steps, gamma=0.97)
        with torch.no_grad():
            advantages = returns - critic(xs).squeeze(-1)
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        kl = trpo_step(policy, xs, actions, advantages, args.max_kl)
        for _ in range(20):
            loss = (critic(xs).squeeze(-1) - returns).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if iteration % 5 == 0:
            print(f"{iteration} score {score:.3f} kl {kl:.5f} value loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
