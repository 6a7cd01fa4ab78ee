"""Methods of a library's objects that are joins of each other."""
import gymnasium as gym
import torch
from torch.distributions import Normal


def swap(env, other, flag):
    """What mixes methods up like this once exhausted the stack: each is called through all others."""
    env.step, env.reset = (env.reset if flag else other.step), (env.step if flag else other.reset)
    other.step, other.reset = env.reset, (other.step if flag else env.step)
    for _ in range(3):
        env.step = other.reset if flag else env.step
        env.render = env.close if flag else other.render
        env.close = env.render if flag else other.close
        env.step(env.reset(other.step(other.reset(env.close(), env.render()))))
    return other.step().reset().close


env, twin = gym.make("a"), gym.make("b")
swap(env, twin, input())
env.step = env.step
env.step(1)

d = Normal(0.0, 1.0)
for m in (d.sample, d.rsample, d.log_prob, d.cdf, d.expand, d.entropy, d.sample_n, d.perplexity):
    d.sample, d.rsample, d.log_prob, d.cdf, d.expand, d.entropy, d.sample_n, d.perplexity = (
        d.rsample, d.log_prob, d.cdf, d.expand, d.entropy, d.sample_n, d.perplexity, d.sample,
    )
    d.sample, d.rsample, d.log_prob, d.cdf, d.expand, d.entropy, d.sample_n, d.perplexity = m, m, m, m, m, m, m, m
    d.sample(d.rsample(d.log_prob(d.cdf(d.expand(d.entropy(d.sample_n(d.perplexity())))))))


def advantages(rewards):
    r = torch.tensor(rewards)
    return (r - r.mean()) / r.std()  # bug: ADV009


print(advantages([1.0, 0.0, 2.0]))
