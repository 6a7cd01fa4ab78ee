"""Slopes of a function by finite differences, and what backward returned beside them.

Nothing here knows autograd.Functions: a *case* (:mod:`.replay`) is a list of leaves, and
outputs that are computed from them again and again. The leaves are moved one element, or
one direction, at a time. Each move yields the slope of all outputs at once, so that
any number of incoming gradients can be compared without evaluating forward again.

A slope counts only where it exists: the slopes from the left and from the right must come
together as the step shrinks. Where they do not there is a kink, a jump or the edge of the
domain, and the element is left out of the comparison.
"""

import math


class Precision:
    """With which steps and how exactly slopes can be computed in a floating type.

    unit is its rounding error, steps are tried from the left on, tolerance is the relative
    error up to which a gradient is right. Central differences err by the square of the
    step and by unit / step: the best step is near the cube root of the unit.
    """

    def __init__(self, name, unit, steps, tolerance, least):
        self.name, self.unit, self.steps, self.tolerance, self.least = name, unit, steps, tolerance, least


# The last number is how small a slope may be beside the largest before it counts as zero.
DOUBLE = Precision("float64", 2.3e-16, (1e-5, 1.25e-6, 2e-7), 1e-3, 1e-3)
SINGLE = Precision("float32", 1.2e-7, (4e-3, 2e-3, 1e-3), 1e-2, 5e-2)

GAP = 1e-2  # of the slope: how far left and right may differ without a second look
SMOOTH, KINK = "smooth", "kink"


class Element:
    """A move of one element of a leaf."""

    def __init__(self, leaf, index):
        self.flat, self.index = leaf.detach().view(-1), index
        self.old = self.flat[index].item()

    def by(self, step):
        """Moves the element and returns by how much, which rounding decides."""
        self.flat[self.index] = self.old + step
        return self.flat[self.index].item() - self.old

    def back(self):
        self.flat[self.index] = self.old

    def size(self):
        return abs(self.old)

    def along(self, gradient):
        """Returns what a gradient says of the move."""
        return float(gradient.reshape(-1)[self.index])

    def spread(self, gradient):
        return 0.0


class Direction:
    """A move of a whole leaf along a vector of its shape."""

    def __init__(self, leaf, vector):
        self.leaf, self.vector, self.old = leaf.detach(), vector, leaf.detach().clone()

    def by(self, step):
        self.leaf.copy_(self.old + step * self.vector)
        return step

    def back(self):
        self.leaf.copy_(self.old)

    def size(self):
        return 1.0

    def along(self, gradient):
        return float(self.terms(gradient).sum())

    def spread(self, gradient):
        """Returns how large a sum of independent terms like these is."""
        return float(self.terms(gradient).pow(2).sum().sqrt())

    def terms(self, gradient):
        """Returns what the elements that move add, and nothing of the others: NaN * 0 is NaN."""
        moved = self.vector != 0
        return gradient[moved].double() * self.vector[moved].double()


class Joint:
    """A move of all leaves at once, each along a vector; gradients are lists of theirs."""

    def __init__(self, leaves, vectors):
        self.parts = [Direction(leaf, vector) for leaf, vector in zip(leaves, vectors)]

    def by(self, step):
        return [part.by(step) for part in self.parts][0]

    def back(self):
        for part in self.parts:
            part.back()

    def size(self):
        return 1.0

    def along(self, gradients):
        return sum(part.along(g) for part, g in zip(self.parts, gradients) if g is not None)

    def spread(self, gradients):
        return sum(part.spread(g) ** 2 for part, g in zip(self.parts, gradients) if g is not None) ** 0.5


class Slope:
    """The slopes of all outputs along one move; state says whether forward is smooth there."""

    def __init__(self, case, here, move):
        self.case, self.here, self.move = case, here, move
        self.state, self.vector, self.used = SMOOTH, None, 0
        self.finer = {}  # slopes by smaller steps, while weights are compared
        self.settle()

    def settle(self):
        """Takes the first step at which left and right agree, or come together."""
        before = None
        for self.used, step in enumerate(self.steps()):
            right, left, vector = self.at(step)
            if vector is None:
                continue
            self.vector = vector
            gap, size = _largest(right - left), max(_largest(right), _largest(left))
            if gap <= GAP * size + self.noise(step) or before is not None and gap <= before / 2:
                return
            before = gap
        self.state = KINK

    def steps(self):
        """Returns the steps; near 0 a last one is small beside the element."""
        steps = [max(s, s * 1e-3 * self.move.size()) for s in self.case.precision.steps]
        size = self.move.size() * 10 * self.case.precision.steps[0]
        return steps + [size] if 0 < size < steps[-1] else steps

    def noise(self, step):
        """Returns how much rounding alone may change a slope."""
        return 8 * self.case.precision.unit * max(1e-30, _largest(self.here)) / step

    def at(self, step):
        """Returns the slopes from the right, from the left and between; None for those that
        do not exist."""
        try:
            up = self.move.by(step)
            above = self.case.values()
            down = -self.move.by(-step)
            below = self.case.values()
        finally:
            self.move.back()
        if not up > 0 or not down > 0 or above.shape != self.here.shape or below.shape != self.here.shape:
            return None, None, None
        right, left = _difference(above, self.here) / up, _difference(self.here, below) / down
        if not math.isfinite(float((right + left).sum())):
            return None, None, None
        return right, left, _difference(above, below) / (up + down)

    def against(self, weights, analytic, floors):
        """Returns, for each weight, the slope of weight * outputs and the relative error of an
        analytic one; NaN and 0 where forward is not smooth."""
        found = [self.against_one(*w) if self.state == SMOOTH else (math.nan, 0.0) for w in zip(weights, analytic, floors)]
        self.finer.clear()
        return found

    def against_one(self, weight, analytic, floor):
        """Compares for one weight.

        Where they differ, smaller steps are asked too: they must agree with each other
        far better than with the analytic slope, else the element counts as a kink.
        """
        tolerance, steps = self.case.precision.tolerance, self.steps()
        numeric, error = self.beside(weight, analytic, floor, self.vector, steps[self.used])
        for step in steps[self.used + 1 :]:
            if error <= tolerance:
                break
            if step not in self.finer:
                self.finer[step] = self.at(step)[2]
            vector = self.finer[step]
            if vector is None:
                continue
            finer, finer_error = self.beside(weight, analytic, floor, vector, step)
            if finer_error <= tolerance:
                return finer, finer_error
            if abs(finer - numeric) > 0.2 * abs(analytic - numeric):
                self.state = KINK
        return numeric, error

    def beside(self, weight, analytic, floor, vector, step):
        numeric = float(vector @ weight)
        return numeric, relative(analytic, numeric, max(floor, 10 * self.noise(step) * _largest(weight)))


class Comparison:
    """What backward returned for one leaf, beside the slopes of forward.

    moves, slopes and the lists in analytic, numeric and errors (one a weight) run in
    parallel. returned is False where backward gave None for the leaf.
    """

    def __init__(self, case, position, moves, gradients):
        self.case, self.position, self.name = case, position, case.names[position]
        self.leaf, self.moves = case.leaves[position], moves
        self.gradients, self.returned = gradients, gradients[0] is not None
        here = case.values()
        self.slopes = [Slope(case, here, m) for m in moves]
        self.analytic = [[m.along(g) if self.returned else 0.0 for m in moves] for g in gradients]
        weights = case.weights[: len(gradients)]
        floors = [self.floors(w, g) for w, g in zip(weights, gradients)]
        pairs = [s.against(weights, [a[k] for a in self.analytic], [f[k] for f in floors]) for k, s in enumerate(self.slopes)]
        self.numeric = [[p[j][0] for p in pairs] for j in range(len(weights))]
        self.errors = [[p[j][1] for p in pairs] for j in range(len(weights))]

    def floors(self, weight, gradient):
        """Returns how small a slope along each move may be before it counts as zero."""
        known = [abs(float(s.vector @ weight)) for s in self.slopes if s.state == SMOOTH]
        floor = self.case.precision.least * max(known, default=0.0)
        return [max(floor, 0.1 * m.spread(gradient) if self.returned else 0.0) for m in self.moves]

    def smooth(self):
        """Returns the places of the moves at which the slope exists."""
        return [k for k, s in enumerate(self.slopes) if s.state == SMOOTH]

    def kinks(self):
        return len(self.slopes) - len(self.smooth())

    def error(self, k):
        return max(errors[k] for errors in self.errors)

    def wrong(self):
        """Returns the places of the moves at which the gradient is not the slope."""
        return [k for k in self.smooth() if self.error(k) > self.case.precision.tolerance]

    def largest(self):
        """Returns the largest relative error and the place and weight that have it."""
        return max(((self.errors[j][k], k, j) for k in self.smooth() for j in range(len(self.errors))), default=(0.0, None, 0))


def relative(a, b, floor):
    """Returns the difference of two numbers beside the larger one, or beside floor."""
    if a == b:
        return 0.0
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.inf
    return abs(a - b) / max(abs(a), abs(b), floor)


def _difference(a, b):
    """Returns a - b; what is infinite and the same on both sides does not change."""
    out = a - b
    out[a == b] = 0
    return out


def _largest(x):
    largest = float(x.abs().max()) if x.numel() else 0.0
    if math.isfinite(largest):
        return largest
    finite = x[x.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0
