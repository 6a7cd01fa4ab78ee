"""A small stand-in for gymnasium: a pole that falls unless it is pushed the right way."""

import random


class Env:
    """What environments derive from."""

    def reset(self, seed=None, options=None):
        import numpy

        if seed is not None or not hasattr(self, "np_random"):
            self.np_random = numpy.random.default_rng(seed)

    @property
    def unwrapped(self):
        return self

    def close(self):
        pass


class Wrapper(Env):
    """Hands everything on to the environment in it."""

    def __init__(self, env):
        self.env = env

    @property
    def unwrapped(self):
        return self.env.unwrapped

    def reset(self, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        return self.env.step(action)


class Discrete:
    """The actions from 0 to n - 1."""

    def __init__(self, n):
        self.n = n

    def sample(self):
        return random.randrange(self.n)


class Pole(Env):
    """Observes four numbers, takes two actions, pays 1 a step, and ends after 200."""

    action_space = Discrete(2)

    def __init__(self):
        self.reset()

    def reset(self, seed=None, options=None):
        self.steps, self.lean = 0, random.uniform(-0.05, 0.05)
        return self.observed(), {}

    def observed(self):
        import numpy

        return numpy.array([0.0, 0.0, self.lean, self.lean / 2], dtype=numpy.float32)

    def step(self, action):
        self.steps += 1
        self.lean = max(-1.0, min(1.0, 1.1 * self.lean + (0.02 if action == 1 else -0.02)))
        return self.observed(), 1.0, abs(self.lean) > 0.5, self.steps >= 200, {}


def make(name, **options):
    return Pole()


from . import wrappers  # noqa: E402 (what gymnasium.wrappers is without an import of its own)
