"""Plays without learning, greedily or at random, and says how well it went."""

import dataclasses

import torch

from distributions import Uniform


@dataclasses.dataclass
class Score:
    """Mean and deviation of the returns of some episodes."""

    episodes: int
    mean: float
    deviation: float

    def __str__(self):
        return "%.3f (deviation %.3f over %d episodes)" % (self.mean, self.deviation, self.episodes)


def greedy(model):
    """A policy that takes the most probable action."""

    def act(observation):
        return model.act(observation, greedy=True)[0]

    return act


def sampled(model):
    """A policy that draws its actions."""

    def act(observation):
        return model.act(observation)[0]

    return act


def uniform(env):
    """A policy that does not look."""

    def act(observation):
        return Uniform(len(observation), env.action_space.n).sample()

    return act


def play(env, policy, episodes, most_steps=200):
    """Returns the score of a policy over at least so many episodes, or as many as end in time."""
    returns = []
    observation = env.reset()
    for _ in range(most_steps):
        observation, _, _, info = env.step(policy(observation))
        returns.extend(r for r, _ in info["episodes"])
        if len(returns) >= episodes:
            break
    return score(returns)


def score(returns):
    if not returns:
        return Score(0, 0.0, 0.0)
    x = torch.tensor(returns)
    deviation = x.std().item() if len(returns) > 1 else 0.0
    return Score(len(returns), x.mean().item(), deviation)


class frozen:
    """Keeps the moments of an environment's wrappers as they are while in the context."""

    def __init__(self, env):
        self.env, self.was = env, getattr(env, "frozen", None)

    def __enter__(self):
        if self.was is not None:
            self.env.frozen = True
        return self.env

    def __exit__(self, *_):
        if self.was is not None:
            self.env.frozen = self.was


def share_moments(source, target):
    """Lets one environment see the world in the scale of another."""
    if hasattr(source, "moments") and hasattr(target, "moments"):
        target.moments.load(source.moments.state())


def evaluate(model, source, env, episodes):
    """Scores the greedy policy in a copy of the environment, in the scale of the training's."""
    share_moments(source, env)
    with frozen(env):
        return play(env, greedy(model), episodes)
