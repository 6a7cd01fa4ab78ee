"""Spaces of numbers."""

import random

from . import Discrete  # noqa: F401


class Box:
    """Vectors between two bounds."""

    def __init__(self, low, high, shape=None, dtype=None):
        import numpy

        shape = numpy.shape(low) if shape is None else shape
        self.low, self.high, self.shape = numpy.full(shape, low), numpy.full(shape, high), shape

    def sample(self):
        return self.low + random.random() * (self.high - self.low)
