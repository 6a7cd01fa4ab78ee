"""A small stand-in for gymnasium: a pole that falls unless it is pushed the right way."""

import random


class Pole:
    """Observes four numbers, takes two actions, pays 1 a step, and ends after 200."""

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

    def close(self):
        pass


def make(name, **options):
    return Pole()
