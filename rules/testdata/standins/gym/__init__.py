"""A small stand-in for gym before 0.26: a pole that falls, or is cut off after 20 steps."""

import random


class Discrete:
    """The actions from 0 to n - 1."""

    def __init__(self, n):
        self.n = n

    def sample(self):
        return random.randrange(self.n)


class Env:
    """What environments derive from."""

    action_space = Discrete(2)

    def reset(self):
        self.steps, self.lean = 0, random.uniform(-0.05, 0.05)
        return [0.0, 0.0, self.lean, self.lean / 2]

    def step(self, action):
        self.steps += 1
        self.lean = max(-1.0, min(1.0, 1.1 * self.lean + (0.02 if action == 1 else -0.02)))
        fell, late = abs(self.lean) > 0.5, self.steps >= 20
        info = {"TimeLimit.truncated": not fell} if late else {}
        return [0.0, 0.0, self.lean, self.lean / 2], 1.0, fell or late, info

    def seed(self, seed=None):
        random.seed(seed)

    def close(self):
        pass


class Wrapper(Env):
    """Hands everything on to the environment in it."""

    def __init__(self, env):
        self.env = env

    def reset(self):
        return self.env.reset()

    def step(self, action):
        return self.env.step(action)


def make(name, **options):
    return Env()
