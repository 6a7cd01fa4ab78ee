"""Numbers that change over a run: functions of the iteration."""

import math


def constant(value):
    """The same throughout."""
    return lambda step: value


def linear(start, end, steps):
    """From start to end in a straight line, and end from there on."""

    def at(step):
        share = min(1.0, step / max(1, steps - 1))
        return start + share * (end - start)

    return at


def cosine(start, end, steps):
    """From start to end along half a cosine."""

    def at(step):
        share = min(1.0, step / max(1, steps - 1))
        return end + 0.5 * (start - end) * (1 + math.cos(math.pi * share))

    return at


def warmup(schedule, steps):
    """Reaches another schedule in a straight line from zero."""

    def at(step):
        return schedule(step) * min(1.0, (step + 1) / max(1, steps))

    return at


def piecewise(points):
    """Lines between points (step, value), and constant outside."""
    points = sorted(points)

    def at(step):
        if step <= points[0][0]:
            return points[0][1]
        for (left, low), (right, high) in zip(points, points[1:]):
            if step <= right:
                return low + (step - left) / (right - left) * (high - low)
        return points[-1][1]

    return at
