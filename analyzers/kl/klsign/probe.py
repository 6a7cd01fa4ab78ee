"""KL001: the sum of loss or reward and KL, and the sign of the KL in it.

A KL is positive on average. It confirms if the flagged value is minimised (the gradient of
the loss with respect to it is positive) and a term whose mean is clearly positive lowers
it. It also confirms if the value is a reward, through which no gradient flows, and such a
term raises it. The other sign refutes. A term whose mean is not clearly different from 0
shows nothing; nor does a value on which the loss does not depend.
"""

import math

from rlvet_harness import Probe, numbers
from rlvet_harness.observe import is_tensor


class KLSign(Probe):
    """Watches loss - kl and reward + kl."""

    enough = 4
    needs = "a KL whose mean is told from 0, and a gradient to the sum that a step uses, or none at all"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.terms = {"left": Moments(), "right": Moments()}
        self.sign = {"left": 1, "right": None}
        self.loss = None
        self.directed = 0  # gradients whose step told the direction
        self.minimised = set()  # the signs of the gradients that reach the value

    def hit(self, hit):
        sides = {name: numbers(hit.parts.get(name)) for name in ("left", "right")}
        whole = numbers(hit.value)
        if whole is None or any(s is None or s.mean is None for s in sides.values()):
            return
        self.loss = is_tensor(hit.value) and hit.value.requires_grad
        if self.loss:
            self.at_step(hit.value, self.reached)
        left, right = sides["left"].mean, sides["right"].mean
        if abs(right) > 1e-9:
            self.sign["right"] = 1 if abs(whole.mean - left - right) < abs(whole.mean - left + right) else -1
        for name, seen in sides.items():
            self.terms[name].add(seen.mean)
        self.show(left=left, right=right, sum=whole.mean)
        self.plot(kl_term=right)

    def reached(self, gradient):
        total = float(gradient.sum())
        self.directed += not self.undirected
        if total:
            self.minimised.add(1 if total > 0 else -1)

    def end(self):
        # Estimates such as k3 are never negative, which distinguishes the KL from the other term.
        name = "left" if self.terms["right"].mixed() and not self.terms["left"].mixed() and self.loss else "right"
        kl, sign = self.terms[name], self.sign[name]
        if sign is None or not kl.clear():
            self.unsure("the mean of the term is not clearly different from 0: run longer")
        elif self.loss and len(self.minimised) != 1:
            self.unsure("no gradient reached the sum, or gradients of both signs")
        elif self.loss and sign * kl.mean() * min(self.minimised) < 0:
            self.confirm("the KL is positive on average and lowers the loss", mean=kl.mean(), evaluations=kl.count)
        elif not self.loss and sign * kl.mean() > 0:
            self.confirm("the KL is positive on average and raises the reward", mean=kl.mean(), evaluations=kl.count)
        elif self.loss and not self.directed:
            self.unsure("no step used the gradient of the sum")
        else:
            self.upheld(kl.count)

    def holds(self):
        return "the KL raised the loss, or lowered the reward"


class Moments:
    """Sums over evaluations of one term."""

    def __init__(self):
        self.count, self.total, self.squares, self.low, self.high = 0, 0.0, 0.0, math.inf, -math.inf

    def add(self, x):
        self.count, self.total, self.squares = self.count + 1, self.total + x, self.squares + x * x
        self.low, self.high = min(self.low, x), max(self.high, x)

    def mean(self):
        return self.total / self.count

    def mixed(self):
        return self.low < 0 < self.high

    def clear(self):
        """Reports whether the mean is further from 0 than three standard errors, or all
        evaluations are on one side."""
        if self.count == 0 or self.total == 0:
            return False
        variance = max(0.0, self.squares / self.count - self.mean() ** 2)
        return not self.mixed() or abs(self.mean()) > 3 * math.sqrt(variance / self.count)
